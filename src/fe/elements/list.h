/* Every element: one file, one line. */
NS_ELEMENT(Bar)
NS_ELEMENT(Beam)
NS_ELEMENT(Tri3)
NS_ELEMENT(Quad4)
NS_ELEMENT(Tet4)
NS_ELEMENT(Tet10)
NS_ELEMENT(Hex8)
NS_ELEMENT(Coupling)
