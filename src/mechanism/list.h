/* Every mechanism: one file, one line. */
NS_MECHANISM(SliderCrank)
NS_MECHANISM(SliderCrankBilateral)
NS_MECHANISM(BallInBox)
NS_MECHANISM(BouncingBall)
