import type { SourceFile } from './source-file.ts';

const LINES = 6;

/** A line without what may differ in lines of the same shape: names, numbers, texts. Empty where it says too little to compare. */
const shapeOf = (line: string): string => {
  const shape = line
    .trim()
    .replace(/\/\/.*$/, '')
    .replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, 's')
    .replaceAll(/\b\d[\d_.]*\b/g, '0')
    .replaceAll(
      /\b(?!(?:const|let|if|else|for|while|return|await|async|throw|new|class|function|interface|type|try|catch|case|switch)\b)[A-Za-z_$][\w$]*/g,
      'x',
    );
  return /[x0s]/.test(shape) && !/^(?:\*|\/\*)/.test(shape) ? shape : '';
};

/** The lines of a file that count, imports and comments left out. */
const shapesOf = ({ text }: SourceFile): string[] =>
  text
    .replaceAll(/^(?:import|export) [^;]*? from '[^']*';$/gm, '')
    .replaceAll(/\/\*\*?[\s\S]*?\*\//g, '')
    .split('\n')
    .map(shapeOf)
    .filter((shape) => shape !== '');

/** Pairs of places with at least six lines of the same shape. A place that goes on for longer counts once. */
export const countDuplicatedPairs = (sources: readonly SourceFile[]): number => {
  const places = new Map<string, { file: number; line: number }[]>();
  for (const [file, source] of sources.entries()) {
    const shapes = shapesOf(source);
    for (let line = 0; line + LINES <= shapes.length; line += 1) {
      const key = shapes.slice(line, line + LINES).join('\n');
      if (new Set(shapes.slice(line, line + LINES)).size < LINES - 1) continue; // a list of equal lines is no logic
      places.set(key, [...(places.get(key) ?? []), { file, line }]);
    }
  }
  /** For each pair of files and distance between the lines, whether the place before this one was a pair too. */
  const seen = new Set<string>();
  let pairs = 0;
  for (const found of places.values())
    for (const [n, one] of found.entries())
      for (const two of found.slice(n + 1)) {
        if (one.file === two.file && two.line - one.line < LINES) continue;
        seen.add(`${one.file} ${one.line} ${two.file} ${two.line}`);
      }
  for (const pair of seen) {
    const [file, line, otherFile, otherLine] = pair.split(' ').map(Number) as [number, number, number, number];
    if (!seen.has(`${file} ${line - 1} ${otherFile} ${otherLine - 1}`)) pairs += 1;
  }
  return pairs;
};
