/* Every time-stepping scheme: one file a family, one line each. */
NS_SCHEME(HalfExplicit)
NS_SCHEME(MoreauMidpoint)
NS_SCHEME(MoreauJean)
NS_SCHEME(SchatzmanPaoli)
