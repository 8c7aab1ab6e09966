/* What is kept of a run: one file, one line. Opened and closed in this order; the manifest comes last, for it tells how the others went. */
NS_WRITER(Frames)
NS_WRITER(History)
NS_WRITER(Contacts)
NS_WRITER(Events)
NS_WRITER(Energy)
NS_WRITER(Progress)
NS_WRITER(Manifest)
