import type { ReactNode } from 'react';
import { partsOf } from './snippet-parts.ts';

/** A snippet of a search answer as text with its hits marked, so that a document cannot write into this page. */
export const Marked = ({ snippet }: { readonly snippet: string }): ReactNode =>
  partsOf(snippet).map(({ text, isHit }, index) => (isHit ? <mark key={index}>{text}</mark> : text));
