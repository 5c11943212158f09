import { UnreadablePart } from './unreadable-part.ts';

const MAX_NAMESPACES = 1_000;
const XML: readonly [string, string] = ['xml', 'http://www.w3.org/XML/1998/namespace'];

type Scope = ReadonlyMap<string, string>;

/** The namespaces that prefixes stand for, element by element. Resolving takes the same time at every depth. */
export class XmlNamespaces {
  readonly #scopes: Scope[] = [new Map([XML])];

  /** Call it with the attributes of each element that opens, by their names. */
  open(attributes: Readonly<Record<string, string>>): void {
    const outer = this.#scopes.at(-1) ?? new Map<string, string>();
    let inner: Map<string, string> | undefined;
    for (const [name, value] of Object.entries(attributes)) {
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      inner ??= new Map(outer);
      inner.set(name.slice('xmlns:'.length), value.trim());
    }
    if ((inner?.size ?? 0) > MAX_NAMESPACES) throw new UnreadablePart('too many namespaces');
    this.#scopes.push(inner ?? outer);
  }

  close(): void {
    this.#scopes.pop();
  }

  /** The local name and the namespace; empty for none, and for a prefix that stands for nothing. */
  resolve(name: string, isAttribute: boolean): { readonly local: string; readonly uri: string } {
    const colon = name.indexOf(':');
    const prefix = colon < 0 ? '' : name.slice(0, colon);
    // An attribute without a prefix has no namespace.
    const uri = isAttribute && prefix === '' ? '' : (this.#scopes.at(-1)?.get(prefix) ?? '');
    return { local: name.slice(colon + 1), uri };
  }
}
