/*
  Every force element: one file, one line. They are made in this order.

      NS_FORCE(Name, key, help, example)   a top-level key of the config; NsForceType_Name
*/
NS_FORCE(Spring, springs, "springs and dashpots", "{mount: {between: [bar.right, ground], stiffness: 1 MN/m}}")
NS_FORCE(Bearing, bearings, "stiffness and damping of bearings and mounts", "{left: {between: [shaft.left, ground], stiffness: 1 MN/m}}")
NS_FORCE(Motor, motors, "torques that depend on the speed of a shaft: motors, fans, brakes",
  "{drive: {between: [shaft.left, ground], torque: [[0 rpm, 20 N m], [3000 rpm, 0 N m]]}}")
NS_FORCE(Gear, gears, "gear meshes between parallel shafts", "{stage: {between: [pinion@0.5, wheel@0.5], teeth: [20, 60], stiffness: 200 MN/m}}")
