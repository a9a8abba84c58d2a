@echo off
rem Starts the bot with whatever Python there is; start.py does the rest.
setlocal
cd /d "%~dp0"
set "PYTHON=py -3"
%PYTHON% -c "" >nul 2>nul || set "PYTHON=python"
%PYTHON% -c "" >nul 2>nul || goto missing
%PYTHON% start.py
exit /b %errorlevel%

:missing
echo This bot needs Python 3.11 to 3.14, 64 bit: install it from python.org, then start again. 1>&2
exit /b 1
