@echo off
rem Starts the bot with the first Python that runs; start.py finds a better one if it must.
setlocal
cd /d "%~dp0"
for %%P in ("py -3" "python" "uv run --no-project --python 3.12 python") do (
    %%~P -c "" >nul 2>nul && (
        %%~P start.py %*
        exit /b
    )
)
set "WHY=there is no Python on this machine"
where python 2>nul | findstr /i "WindowsApps" >nul && set "WHY=python is only the Microsoft Store's placeholder"
echo This bot cannot start: %WHY%. Install Python 3.12, 64 bit, from python.org, then start again. 1>&2
exit /b 1
