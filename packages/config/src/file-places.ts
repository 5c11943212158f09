import { ALIASES } from './parse.ts';
import type { SectionName } from './variable.ts';
import { VARIABLES, type VariableName } from './variables.ts';

/** Where a variable stands in service.yml. */
export interface FilePlace {
  readonly section: string;
  /** The short one, which is written in the example. The whole name in lower case is taken as well. */
  readonly key: string;
}

/** The section of service.yml for each section of the documentation; those of Core are told apart by their names. */
const SECTIONS: Readonly<Record<Exclude<SectionName, 'Core'>, string>> = {
  Storage: 'storage',
  'Watch folder': 'watch',
  OCR: 'ocr',
  'Reading limits': 'reading',
  Barcodes: 'barcodes',
  'Database connection': 'database',
  'Sign-in': 'auth',
  Tokens: 'auth',
  'API keys': 'auth',
  Sessions: 'auth',
  OIDC: 'oidc',
  'SAML 2.0': 'saml2',
  LDAP: 'ldap',
  'Second factor': 'mfa',
  'E-mail': 'smtp',
  Notifications: 'notifications',
  'Security headers': 'security',
  Network: 'network',
  Limits: 'limits',
  Sources: 'sources',
  Outbound: 'outbound',
  Monitoring: 'monitoring',
  Resources: 'resources',
  'Feature flags': 'features',
  Processes: 'processes',
};

const CORE_SECTIONS: readonly (readonly [start: RegExp, section: string])[] = [
  [/^(DATABASE|POSTGRES)_/, 'database'],
  [/^(SERVER|PUBLIC)_/, 'server'],
  [/^LOG_/, 'log'],
  [/^(DATA|UPLOAD|ALLOWED)_/, 'storage'],
];

/** What may be left out at the start of a key, because the section says it. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  server: ['server_'],
  database: ['database_', 'postgres_'],
  storage: ['storage_'],
  watch: ['watch_'],
  ocr: ['ocr_'],
  reading: ['read_'],
  barcodes: ['barcode_'],
  auth: ['auth_'],
  oidc: ['oidc_'],
  saml2: ['saml2_'],
  ldap: ['ldap_'],
  mfa: ['mfa_'],
  smtp: ['smtp_'],
  notifications: ['notifications_'],
  security: ['security_'],
  outbound: ['outbound_'],
  features: ['feature_'],
  log: ['log_'],
};

const sectionOf = (name: VariableName): string => {
  const { section } = VARIABLES[name];
  if (section !== 'Core') return SECTIONS[section];
  const [, core] = CORE_SECTIONS.find(([start]) => start.test(name)) ?? [];
  if (core === undefined) throw new Error(`${name} has no section in service.yml`); // met by the first test that loads this
  return core;
};

const shortKey = (name: string, section: string): string => {
  const key = name.toLowerCase();
  const prefix = (PREFIXES[section] ?? []).find((start) => key.startsWith(start));
  return prefix === undefined ? key : key.slice(prefix.length);
};

const isVariable = (name: string): name is VariableName => Object.hasOwn(VARIABLES, name);

/** What says which file is read does not stand in it. */
const NOT_IN_THE_FILE: VariableName = 'CONFIG_FILE';

/** Where each variable stands in service.yml, in the order of the declarations. */
export const FILE_PLACES: ReadonlyMap<VariableName, FilePlace> = new Map(
  Object.keys(VARIABLES)
    .filter(isVariable)
    .filter((name) => name !== NOT_IN_THE_FILE)
    .map((name) => {
      const section = sectionOf(name);
      return [name, { section, key: shortKey(name, section) }];
    }),
);

/** The names of variables, new and old, by section and key. Of two that a key could mean, the variable goes before the old name. */
const makeKeys = (): ReadonlyMap<string, ReadonlyMap<string, string>> => {
  const sections = new Map<string, Map<string, string>>();
  const add = (section: string, key: string, name: string): void => {
    const keys = sections.get(section) ?? new Map<string, string>();
    sections.set(section, keys);
    if (!keys.has(key)) keys.set(key, name);
  };
  for (const [name, { section }] of FILE_PLACES) add(section, name.toLowerCase(), name);
  for (const [name, { section, key }] of FILE_PLACES) add(section, key, name);
  for (const [alias, name] of Object.entries(ALIASES)) {
    const section = FILE_PLACES.get(name)?.section ?? '';
    add(section, alias.toLowerCase(), alias);
    add(section, shortKey(alias, section), alias);
  }
  return sections;
};

/** By section, the name that each key sets: that of a variable, or an old one. */
export const FILE_KEYS = makeKeys();
