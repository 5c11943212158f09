import type { ReferenceKind } from './reference-kinds.ts';

/** Replaces the characters from `start` up to `end` (UTF-16 code units of the decoded text). */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Undefined: the edit removes no reference. */
  readonly kind: ReferenceKind | undefined;
}

/** In their order; one that lies within another is dropped, because what it would change is gone. */
export const sortEdits = (edits: readonly TextEdit[]): readonly TextEdit[] => {
  const sorted = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const kept: TextEdit[] = [];
  for (const edit of sorted) if (edit.start >= (kept.at(-1)?.end ?? 0)) kept.push(edit);
  return kept;
};

/** The text with all `edits`, which are sorted, applied. */
export async function* applyEdits(chunks: AsyncIterable<string>, edits: readonly TextEdit[]): AsyncGenerator<string> {
  let [position, next] = [0, 0];
  for await (const chunk of chunks) {
    const end = position + chunk.length;
    let [at, changed] = [position, ''];
    for (let edit = edits[next]; edit !== undefined && edit.start < end; edit = edits[next]) {
      if (edit.start >= position) changed += chunk.slice(at - position, edit.start - position) + edit.text;
      at = Math.min(edit.end, end);
      if (edit.end > end) break; // goes on in the next chunk
      next += 1;
    }
    yield changed + chunk.slice(at - position);
    position = end;
  }
}
