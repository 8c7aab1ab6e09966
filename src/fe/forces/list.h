/* Every force element: one file, one line. They are made in this order. */
NS_FORCE(Spring)
NS_FORCE(Bearing)
