import type { Answer } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';

/** By id: the names of correspondents and document types that an answer has told. */
const known = new Map<string, string>();

/** What a chosen id is called, also where nothing found has it any more. */
export const useFactNames = (facets: Answer<'get /api/search'>['facets'] | undefined): ((id: string) => string) => {
  const t = useTranslate();
  for (const { id, name } of [...(facets?.correspondents ?? []), ...(facets?.document_types ?? [])]) known.set(id, name);
  return (id) => known.get(id) ?? t('search.unknownName');
};
