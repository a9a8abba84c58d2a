"""A checkpoint becomes an ONNX policy, a verified bundle, and a played match."""
