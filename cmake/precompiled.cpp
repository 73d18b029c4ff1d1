// Has nothing of its own: CMake compiles the common headers of a quick build for it.
