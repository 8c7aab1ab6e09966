/* Every solver of the local contact problem: one file, one line. Who is tried when is written in chain.c. */
NS_LOCAL_SOLVER(SemismoothNewton)
NS_LOCAL_SOLVER(GaussSeidel)
NS_LOCAL_SOLVER(Lemke)
NS_LOCAL_SOLVER(Enumerate)
