/* Contacts as the config has them. The keys of a surface are in the file of its pair, src/contact/pairs; those of all contacts in settings.c. */
#pragma once
#include "core/motion.h"
#include "laws/law.h"
#include "percuss/settings.h"

enum {
#define NS_PAIR(Name)
#define NS_SURFACE(Name, key, help, example) NS_SURFACE_##Name,
#include "pairs/list.h"
#undef NS_SURFACE
#undef NS_PAIR
  NS_SURFACES
};

/* What the settings of every surface begin with. */
typedef struct {
  const NsNode *where;
  const char   *on;        /* node of a body, or point along it, that carries the surface; NULL: fixed in space */
  double        offset[3]; /* with `on`: rigid arm to the surface's origin, m */
  NsList        motion;    /* of NsMotionPart: of a surface without `on` */
} NsSurfaceSettings;

/* One side of a contact: named nodes of a body, or a surface. */
typedef struct {
  const NsNode            *where;
  NsStrings                nodes;  /* "bar.left"; none: a surface; several: of multibody systems alone */
  const char              *sides;  /* "block.bottom": a surface of a solid; NULL: none */
  const char              *line;   /* "cable": a body of line elements, or "cable.part"; NULL: none */
  double                   radius; /* of a ball or journal around a node, of a rod around a line, m */
  double                   offset[3];
  const NsSurfaceSettings *surface[NS_SURFACES + 1]; /* one of them, where node is NULL; none: an end of a link */
  const char              *material;                 /* a word of `contact_materials`; NULL: that of the body */
} NsPartnerSettings;

/* Of surfaces of solids: weights of the start, or faces that are found in every step. */
enum { NS_SLIDING_AUTO, NS_SLIDING_SMALL, NS_SLIDING_FINITE };

typedef struct {
  const NsNode        *where;
  NsList               between;       /* of NsPartnerSettings, two */
  double               normal[3];     /* node against node: from the first to the second; zero: the axis of the first body */
  long                 near_pairs;    /* balls against balls: slots; 0: by their number */
  double               gap_offset;    /* added to the geometric gap, m */
  double               gap_tolerance; /* a gap up to this is closed, m */
  double               adjust;        /* of two surfaces: smaller gaps and penetrations at the start are taken as 0, m */
  NsContactLawSettings law;
  NsWindow             window;
  int                  sliding; /* NS_SLIDING_... */
  int                  held;    /* no key: 1 + number of the DOF of a support that stops acting (fe/attach/holds.c); 0: none */
  bool                 tied;    /* no key: surfaces that `ties` joins */
} NsContactSettings;

/* The law of contacts between two materials. */
typedef struct {
  const NsNode        *where;
  NsStrings            between; /* two */
  NsContactLawSettings law;
} NsMaterialPairSettings;

/* Those of a plane (pairs/node_plane.c). */
typedef struct {
  NsSurfaceSettings surface;
  double            point[3], normal[3], velocity[3];
} NsPlaneSettings;

/* The first node of a partner; NULL: it is a surface, of a solid (sides) or rigid, or a line. */
static inline const char *NsPartnerNode(const NsPartnerSettings *partner)
{
  return partner->nodes.count ? partner->nodes.items[0] : NULL;
}

extern const NsTable NsTable_Contact, NsTable_MaterialPair;

/* (contact/materials.c) The law of a contact: its own keys, and else those of the pair of its materials. */
NsLaw NsContactLawOf(const NsConfig *config, const NsContactSettings *settings, NsArena *arena);
/* Reports words of materials that contacts name and `contact_materials` does not have, and pairs that it has twice. */
void NsContactMaterialsCheck(const NsConfig *config, NsArena *arena, NsDiag *diag);

/* Two sets of balls: both partners are nodes, one at least with a radius. */
bool NsContactOfBalls(const NsContactSettings *contact);

/* Which of the rigid surfaces a partner is; NS_SURFACES: a node, a line, or a surface of a solid. */
int NsPartnerSurface(const NsPartnerSettings *partner);
