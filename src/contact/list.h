/* Every solver of the local contact problem, in the order in which they are tried: one file, one line. */
NS_LOCAL_SOLVER(SemismoothNewton)
