#include "settings.h"
#include <string.h>

#define NS_PAIR(Name)
#define NS_SURFACE(Name, key, help, example) extern const NsTable NsSurfaceTable_##Name;
#include "pairs/list.h"
#undef NS_SURFACE
#undef NS_PAIR

static const NsKey partner_keys[] = {
  {"node", NS_KEY_STRINGS, offsetof(NsPartnerSettings, nodes), .least = 1,
    .help = "named nodes of a body, or a point along it; of bodies of `type: body`: points and shapes, or a list of these", .example = "bar.left"},
  {"surface", NS_KEY_STRING, offsetof(NsPartnerSettings, sides),
    .help =
      "named sides of a solid, which touch those of another one (the first surface, whose nodes carry the forces, should be the finer one), or nodes of another body",
    .example = "block.bottom"},
  {"line", NS_KEY_STRING, offsetof(NsPartnerSettings, line),
    .help =
      "a body of bars or beams, or a rotor, that touches nodes (balls that roll along it, moving loads), or another line that crosses it, along its length as a round rod; BODY.SET: only its elements between nodes of this set",
    .example = "cable"},
  {"radius", NS_KEY_NUMBER, offsetof(NsPartnerSettings, radius), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help    = "with `node`: radius of a ball or journal around it; two partners with a radius are balls; with `line`: radius of the rod",
    .example = "10 mm"},
  {"offset", NS_KEY_VECTOR, offsetof(NsPartnerSettings, offset), .space = NS_SPACE_DIRECTION, .dimension = NS_DIM_LENGTH,
    .default_value = "[0, 0, 0]", .help = "with `node`: rigid arm from the node to the point of contact, or to the centre of the ball or journal",
    .example = "[9.5 mm, 0, 0]"},
  {"material", NS_KEY_STRING, offsetof(NsPartnerSettings, material),
    .help = "word for `contact_materials`; default: the name of the body's material (`material: steel`)", .example = "steel"},
#define NS_PAIR(Name)
#define NS_SURFACE(Name, key, text, value) \
  {#key, NS_KEY_TABLE, offsetof(NsPartnerSettings, surface[NS_SURFACE_##Name]), .table = &NsSurfaceTable_##Name, .help = text, .example = value},
#include "pairs/list.h"
#undef NS_SURFACE
  {NULL},
};

static void check_partner(const void *settings, NsArena *arena, NsDiag *diag)
{
  static const char *const words[] = {"radius", "offset", NULL};
  const NsPartnerSettings *partner = settings;

  (void)arena;
  for (int i = 0; words[i] && !NsPartnerNode(partner); i++) {
    if (partner->line && !strcmp(words[i], "radius")) continue;
    if (NsTreeChild(partner->where, words[i]) && (partner->sides || partner->line))
      NsDiagError(diag, NsKeysPlace(partner->where, words[i]), "`%s` is for a `node`, not for a %s", words[i],
        partner->line ? "`line`" : "`surface` of a solid");
    else if (NsTreeChild(partner->where, words[i]))
      NsDiagError(diag, NsKeysPlace(partner->where, words[i]),
        "`%s` at this level belongs to a `node`; that of a surface is a key of the surface, such as {cylinder: {%s: ...}}", words[i], words[i]);
  }
}

#define NS_SURFACE(Name, key, help, example) ", " #key
static const NsTable partner_table = {"partner", "one side of a contact", partner_keys, sizeof(NsPartnerSettings), .check = check_partner,
  .shorthand = "node", .one_of = "node, surface, line"
#include "pairs/list.h"
};

static const char *const slidings[] = {"auto", "small", "finite", NULL};

static const NsKey contact_keys[] = {
  {"between", NS_KEY_LIST, offsetof(NsContactSettings, between), .table = &partner_table, .required = true, .least = 2, .most = 2,
    .example = "[bar.left, {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}]",
    .help =
      "the two partners that may touch: surfaces of two solids; lines of two bodies; or nodes of a body, and one of: a node of another body, balls around nodes, or a line"
#include "pairs/list.h"
  },
#undef NS_SURFACE
#undef NS_PAIR
  {"normal", NS_KEY_VECTOR, offsetof(NsContactSettings, normal), .space = NS_SPACE_DIRECTION, .default_value = "[0, 0, 0]",
    .help = "for two nodes: direction from the first to the second; default: along the line of the first body, outwards", .example = "[1, 0, 0]"},
  {"near_pairs", NS_KEY_INTEGER, offsetof(NsContactSettings, near_pairs), .default_value = "0", .minimum = "0", .maximum = "1000000",
    .help =
      "for balls against balls: largest number of pairs that are near each other at a time (1 kB of memory each); 0: 8 for each ball, at least 5000",
    .example = "20000"},
  {"gap_offset", NS_KEY_NUMBER, offsetof(NsContactSettings, gap_offset), .dimension = NS_DIM_LENGTH, .default_value = "0",
    .help = "added to the gap between the partners", .example = "0.1 mm"},
  {"gap_tolerance", NS_KEY_NUMBER, offsetof(NsContactSettings, gap_tolerance), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help = "a contact with a gap up to this is closed, so that the drift on a curved surface does not open it", .example = "10 nm"},
  {"adjust", NS_KEY_NUMBER, offsetof(NsContactSettings, adjust), .dimension = NS_DIM_LENGTH, .default_value = "0", .minimum = "0",
    .help =
      "for surfaces of two solids: gaps and penetrations up to this at the start are taken as zero, so that faces of different meshes lie on each other",
    .example = "1 um"},
  {"sliding", NS_KEY_CHOICE, offsetof(NsContactSettings, sliding), .choices = slidings, .default_value = "auto",
    .help =
      "for surfaces of solids: small: mortar with weights and normals of the start; finite: nodes against the nearest faces, found in every step; auto: finite if "
      "initial velocities and moving supports prescribe more than 0.3 of a face",
    .example = "finite"},
  NS_WINDOW_KEYS(NsContactSettings, "the contact acts"),
  NS_CONTACT_LAW_KEYS(NsContactSettings),
  {NULL},
};

int NsPartnerSurface(const NsPartnerSettings *partner)
{
  int which = 0;

  while (which < NS_SURFACES && !partner->surface[which]) which++;
  return which;
}

bool NsContactOfBalls(const NsContactSettings *contact)
{
  const NsPartnerSettings *side = contact->between.items;

  return NsPartnerNode(&side[0]) && NsPartnerNode(&side[1]) && side[0].radius + side[1].radius > 0;
}

static void check_contact(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsContactSettings *contact = settings;

  (void)arena;
  if (NsContactOfBalls(contact) && NsTreeChild(contact->where, "normal"))
    NsDiagError(diag, NsKeysPlace(contact->where, "normal"), "normal is for two nodes without a radius; balls touch in any direction");
  const NsPartnerSettings *side = contact->between.items;
  if (!NsContactOfBalls(contact) && side[0].nodes.count + side[1].nodes.count < 3 && NsTreeChild(contact->where, "near_pairs"))
    NsDiagError(diag, NsKeysPlace(contact->where, "near_pairs"), "near_pairs is for balls against balls: two partners with `node`, and a radius");
  if ((side[0].sides || side[1].sides) && NsTreeChild(contact->where, "normal"))
    NsDiagError(diag, NsKeysPlace(contact->where, "normal"), "normal is for two nodes; surfaces of solids have their own");
  if ((side[0].line || side[1].line) && NsTreeChild(contact->where, "normal"))
    NsDiagError(diag, NsKeysPlace(contact->where, "normal"), "normal is for two nodes; a line touches in any direction");
  if (!side[0].sides && !side[1].sides && NsTreeChild(contact->where, "adjust"))
    NsDiagError(diag, NsKeysPlace(contact->where, "adjust"), "adjust is for partners with `surface`; `gap_offset` is for all contacts");
  if (!side[0].sides && !side[1].sides && NsTreeChild(contact->where, "sliding"))
    NsDiagError(diag, NsKeysPlace(contact->where, "sliding"), "sliding is for partners with `surface`; other contacts may slide any distance");
  NsContactLawCheck(&contact->law, contact->where, PETSC_FALSE, diag);
  NsWindowCheck(&contact->window, contact->where, diag);
}

static void check_pair(const void *settings, NsArena *arena, NsDiag *diag)
{
  const NsMaterialPairSettings *pair = settings;

  (void)arena;
  NsContactLawCheck(&pair->law, pair->where, PETSC_TRUE, diag);
}

static const NsKey material_pair_keys[] = {
  {"between", NS_KEY_STRINGS, offsetof(NsMaterialPairSettings, between), .required = true, .least = 2, .most = 2,
    .help    = "two materials, in any order, or the same twice: names of `materials`, or words that partners of contacts give by `material`",
    .example = "[steel, bronze]"},
  NS_CONTACT_LAW_KEYS(NsMaterialPairSettings),
  {NULL},
};
const NsTable NsTable_MaterialPair = {
  "contact_material", "law of contacts between two materials", material_pair_keys, sizeof(NsMaterialPairSettings), .check = check_pair};

const NsTable NsTable_Contact = {"contact", "unilateral contact of two partners", contact_keys, sizeof(NsContactSettings), .check = check_contact};
