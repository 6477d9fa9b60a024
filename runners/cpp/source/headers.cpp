// Reads the headers of the measuring program once, before all cells (serbench_precompile).
