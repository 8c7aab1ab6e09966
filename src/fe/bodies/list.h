/* Every body made of finite elements: one file, one line. */
NS_BODY(Bar)
NS_BODY(Truss)
NS_BODY(Beam)
NS_BODY(Rotor)
NS_BODY(Rigid)
NS_BODY(Balls)
NS_BODY(Solid)
NS_BODY(Matrices)
