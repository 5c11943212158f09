import { createRequire } from 'node:module';
import type { execa } from 'execa';
import type { Piscina } from 'piscina';
import type { Agent, fetch } from 'undici';

interface Libraries {
  readonly execa: { readonly execa: typeof execa };
  readonly piscina: { readonly Piscina: typeof Piscina };
  readonly undici: { readonly Agent: typeof Agent; readonly fetch: typeof fetch };
}

const load = createRequire(import.meta.url);

/** A library that only some processes use, loaded with its first use: each takes 5 MB of memory and more, in five processes. */
export const lateLibrary = <Name extends keyof Libraries>(name: Name): Libraries[Name] => load(name) as Libraries[Name];
