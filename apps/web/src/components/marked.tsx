import type { ReactNode } from 'react';

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const unescape = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

/**
 * A snippet of a search answer as text with its hits marked. The service escapes the text and puts `<mark>` around hits; nothing
 * else of it is taken for markup here, so a document cannot write into this page.
 */
export const Marked = ({ snippet }: { readonly snippet: string }): ReactNode =>
  snippet.split(/(<mark>.*?<\/mark>)/s).map((part, index) => {
    const hit = /^<mark>(.*)<\/mark>$/s.exec(part)?.[1];
    return hit === undefined ? unescape(part) : <mark key={index}>{unescape(hit)}</mark>;
  });
