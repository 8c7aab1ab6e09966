/*
  Every solver of the local contact problem: one file, one line, in the order in which the chain tries them (chain.c). Newton's method comes first and completes what
  the others begin; the second word is the name in statistics.
*/
NS_LOCAL_NEWTON(SemismoothNewton)
NS_LOCAL_SOLVER(GaussSeidel, gauss_seidel)
NS_LOCAL_SOLVER(Lemke, lemke)
NS_LOCAL_SOLVER(Enumerate, enumerate)
NS_LOCAL_SOLVER(Pivoting, pivoting)
NS_LOCAL_SOLVER(ProximalNewton, proximal_newton)
NS_LOCAL_SOLVER(Continuation, continuation)
NS_LOCAL_SOLVER(InteriorPoint, interior_point)
NS_LOCAL_SOLVER(CentralPath, central_path)
