import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Import, SourceFile } from './source-file.ts';

interface Edge {
  readonly to: string;
  readonly isType: boolean;
}

/** Which file of the project imports which. */
export class ImportGraph {
  readonly #root: string;
  readonly #sources: ReadonlyMap<string, SourceFile>;
  readonly #exportsByPart = new Map<string, Readonly<Record<string, string>>>();
  readonly #edges = new Map<string, readonly Edge[]>();

  constructor(root: string, sources: readonly SourceFile[]) {
    this.#root = root;
    this.#sources = new Map(sources.map((source) => [source.path, source]));
    for (const { path, imports } of sources)
      this.#edges.set(
        path,
        imports.flatMap((one) => this.#filesOf(path, one).map((to) => ({ to, isType: one.isType }))),
      );
  }

  has(path: string): boolean {
    return this.#sources.has(path);
  }

  /** What a file imports, types included unless they are not wanted. */
  importsOf(path: string, { types = true } = {}): string[] {
    return (this.#edges.get(path) ?? []).filter(({ isType }) => types || !isType).map(({ to }) => to);
  }

  /** These files with all that they import, directly or not, for more than types. */
  reachableFrom(paths: readonly string[]): Set<string> {
    const reached = new Set(paths);
    for (const path of reached) for (const target of this.importsOf(path, { types: false })) reached.add(target);
    return reached;
  }

  /** These files with all that import them, directly or not. */
  importersOf(paths: readonly string[]): Set<string> {
    const importers = new Map<string, Set<string>>();
    for (const [path, edges] of this.#edges) for (const { to } of edges) importers.set(to, (importers.get(to) ?? new Set()).add(path));
    const reached = new Set(paths);
    for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
    return reached;
  }

  /** Groups of files that import each other in a circle. */
  cycles({ types = true } = {}): string[][] {
    const reach = (start: string): Set<string> => {
      const reached = new Set<string>();
      const waiting = this.importsOf(start, { types });
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        if (!reached.has(next)) {
          reached.add(next);
          waiting.push(...this.importsOf(next, { types }));
        }
      return reached;
    };
    const reached = new Map([...this.#sources.keys()].map((path) => [path, reach(path)]));
    const cyclic = [...reached].filter(([path, targets]) => targets.has(path)).map(([path]) => path);
    const groups = Map.groupBy(cyclic, (path) => cyclic.find((other) => reached.get(path)?.has(other) && reached.get(other)?.has(path)));
    return [...groups.values()];
  }

  /** The files that an import leads to. What a package passes on is looked through: a name leads to the file that declares it, not to the whole package. */
  #filesOf(importer: string, { from, names }: Import): string[] {
    const target = this.#resolve(importer, from);
    if (target === undefined) return [];
    if (names === undefined || !this.#passesOn(target)) return [target];
    return names.map((name) => this.#declarer(target, name));
  }

  /** Whether this is an index, or another file that a package is imported by. */
  #passesOn(path: string): boolean {
    const [, part = '', file = ''] = /^((?:apps|packages)\/[^/]+)\/(src\/.+)$/.exec(path) ?? [];
    return part !== '' && (file.endsWith('/index.ts') || Object.values(this.#doorsOf(part)).includes(`./${file}`));
  }

  #declarer(index: string, name: string): string {
    for (const { from, names } of this.#sources.get(index)?.imports ?? []) {
      const target = names === undefined || names.includes(name) ? this.#resolve(index, from) : undefined;
      if (target === undefined) continue;
      if (this.#passesOn(target)) return this.#declarer(target, name);
      if (names !== undefined || this.#sources.get(target)?.exports.includes(name) === true) return target;
    }
    return index;
  }

  #resolve(importer: string, from: string): string | undefined {
    if (from.startsWith('.')) return this.#existing(normalize(join(dirname(importer), from)));
    const [, name, path] = /^@sheaf\/([^/]+)(?:\/(.+))?$/.exec(from) ?? [];
    if (name === undefined) return undefined;
    for (const part of [`packages/${name}`, `apps/${name}`]) {
      const file = this.#doorsOf(part)[path === undefined ? '.' : `./${path}`];
      if (file !== undefined) return this.#existing(join(part, file));
    }
    return undefined;
  }

  /** The names under which a part such as `packages/search` is imported, with the file that each leads to. */
  #doorsOf(part: string): Readonly<Record<string, string>> {
    const known = this.#exportsByPart.get(part);
    if (known !== undefined) return known;
    const path = join(this.#root, part, 'package.json');
    const { exports = {} } = (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}) as { exports?: Record<string, string> };
    this.#exportsByPart.set(part, exports);
    return exports;
  }

  #existing(path: string): string | undefined {
    return this.#sources.has(path) ? path : undefined;
  }
}
