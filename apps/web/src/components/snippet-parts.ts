const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const unescape = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

export interface SnippetPart {
  readonly text: string;
  readonly isHit: boolean;
}

/** A snippet of a search answer in parts: the service escapes the text and puts `<mark>` around hits. Nothing else of it is markup. */
export const partsOf = (snippet: string): readonly SnippetPart[] =>
  snippet
    .split(/(<mark>.*?<\/mark>)/s)
    .filter((part) => part !== '')
    .map((part) => {
      const hit = /^<mark>(.*)<\/mark>$/s.exec(part)?.[1];
      return { text: unescape(hit ?? part), isHit: hit !== undefined };
    });
