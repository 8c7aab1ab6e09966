/* Every mechanism: one file, one line. */
NS_MECHANISM(SliderCrank)
NS_MECHANISM(SliderCrankBilateral)
NS_MECHANISM(BallInBox)
NS_MECHANISM(BouncingBall)
NS_MECHANISM(RockingBlock)
NS_MECHANISM(SliderCrankTwoJoints)
NS_MECHANISM(Edge)
