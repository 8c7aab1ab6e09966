/* Laws of contacts by pairs of materials: one table, looked up by the materials of the two sides. */
#include <string.h>
#include "settings.h"

/* What a partner is made of: its own word, or the name that its body gives to `material`; NULL: not known. */
static const char *material_of(const NsConfig *config, const NsPartnerSettings *partner)
{
  const char     *node  = NsPartnerNode(partner);
  const NsChosen *body  = config->bodies.items;
  const int       which = NsPartnerSurface(partner); /* NS_SURFACES: none */

  if (partner->material) return partner->material;
  if (partner->sides || partner->line)
    node = partner->sides ? partner->sides : partner->line;
  else if (!node && which < NS_SURFACES)
    node = partner->surface[which]->on;
  const size_t length = node ? strcspn(node, ".@") : 0;
  for (int b = 0; b < config->bodies.count && node; b++) {
    const NsNode *material = NsTreeChild(body[b].where, "material");
    if (strlen(config->bodies.names[b]) != length || strncmp(config->bodies.names[b], node, length)) continue;
    return material && material->kind == NS_NODE_SCALAR ? material->text : NULL;
  }
  return NULL;
}

static PetscBool is_pair(const NsMaterialPairSettings *pair, const char *a, const char *b)
{
  const char *const *word = pair->between.items;

  return (!strcmp(word[0], a) && !strcmp(word[1], b)) || (!strcmp(word[0], b) && !strcmp(word[1], a));
}

NsLaw NsContactLawOf(const NsConfig *config, const NsContactSettings *settings, NsArena *arena)
{
  const NsPartnerSettings      *side = settings->between.items;
  const NsMaterialPairSettings *pair = config->contact_materials.items;
  const NsContactLawSettings   *law  = NULL;
  const PetscBool some = config->contact_materials.count > 0 && settings->between.count == 2; /* links, ties and supports have no partners */
  const char     *a    = some ? material_of(config, &side[0]) : NULL;
  const char     *b    = a ? material_of(config, &side[1]) : NULL;

  for (int i = 0; b && i < config->contact_materials.count && !law; i++) {
    if (is_pair(&pair[i], a, b)) law = &pair[i].law;
  }
  return NsContactLawMake(&settings->law, settings->where, law, arena);
}

/* A word that a partner gives has to be in the table. */
static void check_word(const NsPartnerSettings *partner, const char *const *words, NsDiag *diag)
{
  for (int i = 0; partner->material && words[i]; i++) {
    if (!strcmp(words[i], partner->material)) return;
  }
  if (partner->material)
    NsDiagError(diag, NsKeysPlace(partner->where, "material"), "no pair of `contact_materials` has '%s'%s", partner->material,
      NsDidYouMean(NsNearestWord(partner->material, words)));
}

void NsContactMaterialsCheck(const NsConfig *config, NsArena *arena, NsDiag *diag)
{
  const char                  **words   = NsArenaAlloc(arena, sizeof(*words) * (2 * (size_t)config->contact_materials.count + 1));
  const NsMaterialPairSettings *pair    = config->contact_materials.items;
  const NsContactSettings      *contact = config->contacts.items;

  for (int i = 0; i < config->contact_materials.count; i++) {
    for (int k = 0; k < 2; k++) words[2 * i + k] = pair[i].between.items[k];
    for (int j = 0; j < i; j++) {
      if (!is_pair(&pair[j], pair[i].between.items[0], pair[i].between.items[1])) continue;
      NsDiagError(diag, NsKeysPlace(pair[i].where, "between"), "duplicate pair of '%s' and '%s'", pair[i].between.items[0], pair[i].between.items[1]);
      break;
    }
  }
  for (int c = 0; c < config->contacts.count; c++) {
    const NsPartnerSettings *side = contact[c].between.items;
    const char              *a = material_of(config, &side[0]), *b = material_of(config, &side[1]);
    PetscBool                found = !a || !b || !config->contact_materials.count || contact[c].law.restitution || contact[c].law.friction;
    if (contact[c].law.restitution_tangential > 0 && !contact[c].law.friction && NsContactLawOf(config, &contact[c], arena).friction == 0)
      NsDiagWarning(diag, NsKeysPlace(contact[c].where, "restitution_tangential"), "restitution_tangential has no effect without friction");
    const NsLaw whole = NsContactLawOf(config, &contact[c], arena);
    NsContactLawCheckWhole(&contact[c].law, contact[c].where, &whole, arena, diag);
    for (int k = 0; k < 2; k++) check_word(&side[k], words, diag);
    for (int i = 0; i < config->contact_materials.count && !found; i++) found = is_pair(&pair[i], a, b);
    if (!found)
      NsDiagWarning(diag, contact[c].where->key_place,
        "`contact_materials` has no pair of '%s' and '%s': contact '%s' has no friction and no restitution", a, b, config->contacts.names[c]);
  }
}
