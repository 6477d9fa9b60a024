// What the headers of the measuring program are read for once, before all cells (serbench_precompile).
