/* Every element: one file, one line. */
NS_ELEMENT(Bar)
NS_ELEMENT(Beam)
