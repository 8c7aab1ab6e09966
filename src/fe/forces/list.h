/*
  Every force element: one file, one line. They are made in this order.

      NS_FORCE(Name, key, help, example)   a top-level key of the config; NsForceType_Name
*/
NS_FORCE(Spring, springs, "springs and dashpots", "{mount: {between: [bar.right, ground], stiffness: 1 MN/m}}")
NS_FORCE(Bearing, bearings, "stiffness and damping of bearings and mounts", "{left: {between: [shaft.left, ground], stiffness: 1 MN/m}}")
