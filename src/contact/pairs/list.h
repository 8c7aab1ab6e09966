/*
  Every kind of contact pair: one file, one line. NS_SURFACE: a node, ball or journal against a surface, which is a key of a contact's partner: its word, its help, an example.
*/
NS_PAIR(NodeNode)
NS_PAIR(Balls)
NS_SURFACE(NodePlane, plane, "fixed rigid plane", "{point: [0, 0, 0], normal: [1, 0, 0]}")
NS_SURFACE(Cylinder, cylinder, "circular cylinder: a bearing, a shaft, a drum", "{on: housing.center, axis: [1, 0, 0], radius: 10.1 mm, side: inside}")
NS_SURFACE(Sphere, sphere, "sphere: a socket, a ball", "{center: [0, 0, 0.1 m], radius: 50 mm, side: outside}")
