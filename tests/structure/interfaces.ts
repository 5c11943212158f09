import { type Program, type TSInterfaceHeritage, type TSType, Visitor } from 'oxc-parser';

/** What a function or class is given to work with, by the names that this project uses for it. */
const NAMES = 'Deps|Dependencies|Collaborators|Services|Context|Parts';
const IS_DEPENDENCIES = new RegExp(`(?:${NAMES})$`);
const MAY_DECLARE = new RegExp(`interface \\w*(?:${NAMES})\\b`);

interface Inherited {
  readonly from: string;
  /** Of Pick and Omit. */
  readonly names: number;
  readonly how: 'all' | 'Pick' | 'Omit';
}

/** An interface of dependencies. */
export interface DependencyInterface {
  readonly name: string;
  /** Its own members. */
  readonly own: number;
  readonly inherits: readonly Inherited[];
}

export interface Size {
  readonly name: string;
  readonly path: string;
  readonly members: number;
}

const nameOf = (type: TSType | undefined): string =>
  type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier' ? type.typeName.name : '';

const inheritedOf = ({ expression, typeArguments }: TSInterfaceHeritage): Inherited => {
  const name = expression.type === 'Identifier' ? expression.name : '';
  const [first, second] = typeArguments?.params ?? [];
  if (name === 'Pick' || name === 'Omit')
    return { from: nameOf(first), how: name, names: second?.type === 'TSUnionType' ? second.types.length : 1 };
  return { from: name === 'Partial' ? nameOf(first) : name, how: 'all', names: 0 };
};

/** The interfaces of dependencies that a file declares. `program` is asked for only where there may be one. */
export const dependencyInterfacesOf = (text: string, program: () => Program): DependencyInterface[] => {
  const found: DependencyInterface[] = [];
  if (MAY_DECLARE.test(text))
    new Visitor({
      TSInterfaceDeclaration: ({ id: { name }, body, extends: parents }) => {
        if (IS_DEPENDENCIES.test(name)) found.push({ name, own: body.body.length, inherits: parents.map(inheritedOf) });
      },
    }).visit(program());
  return found;
};

/** The interfaces of dependencies by their members, the largest first. Members that they inherit from each other count. */
export const sizesOfInterfaces = (
  sources: readonly { readonly path: string; readonly interfaces: readonly DependencyInterface[] }[],
): Size[] => {
  const declared = sources.flatMap(({ path, interfaces }) => interfaces.map((one) => ({ ...one, path })));
  const find = (name: string, path: string) =>
    declared.find((one) => one.name === name && one.path === path) ?? declared.find((one) => one.name === name);
  const membersOf = (one: (typeof declared)[number]): number =>
    one.inherits.reduce((sum, { from, how, names }) => {
      const parent = find(from, one.path);
      const all = parent === undefined || parent === one ? 0 : membersOf(parent);
      return sum + (how === 'Pick' ? names : Math.max(0, all - names));
    }, one.own);
  return declared
    .map((one) => ({ name: one.name, path: one.path, members: membersOf(one) }))
    .toSorted((a, b) => b.members - a.members || (a.path < b.path ? -1 : 1));
};
