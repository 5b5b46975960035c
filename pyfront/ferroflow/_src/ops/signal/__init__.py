"""Signal processing: frames, windows, short-time Fourier transforms, mel spectra."""
