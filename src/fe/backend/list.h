/* Every back end of the large matrices: one file, one line, and its word for the key `free_dynamics`. Of those that suit a model equally the first one is taken. */
NS_BACK_END(Lumped, "lumped")
NS_BACK_END(Banded, "banded")
NS_BACK_END(Petsc, "petsc")
