import { parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from './source-file.ts';

/** What a function or class is given to work with, by the names that this project uses for it. */
const IS_DEPENDENCIES = /(?:Deps|Dependencies|Collaborators|Services|Context|Parts)$/;

export interface Size {
  readonly name: string;
  readonly path: string;
  readonly members: number;
}

/** The interface of dependencies with the most members; undefined where there is none. */
export const largestDependencyInterface = (sources: readonly SourceFile[]): Size | undefined => {
  const sizes: Size[] = [];
  for (const { path, text } of sources)
    if (/Deps|Dependencies|Collaborators|Services|Context|Parts/.test(text))
      new Visitor({
        TSInterfaceDeclaration: ({ id, body }) => {
          if (IS_DEPENDENCIES.test(id.name)) sizes.push({ name: id.name, path, members: body.body.length });
        },
      }).visit(parseSync(path, text).program);
  return sizes.toSorted((a, b) => b.members - a.members)[0];
};
