import { Secret } from '@sheaf/contract';
import { z } from 'zod';

/** The sections of the documentation, in which the variables are told. file-places.ts says where each stands in service.yml. */
export type SectionName =
  | 'Core'
  | 'Storage'
  | 'Watch folder'
  | 'OCR'
  | 'Reading limits'
  | 'Barcodes'
  | 'Feature flags'
  | 'Database connection'
  | 'Sign-in'
  | 'Tokens'
  | 'API keys'
  | 'Sessions'
  | 'E-mail'
  | 'OIDC'
  | 'SAML 2.0'
  | 'LDAP'
  | 'Second factor'
  | 'Security headers'
  | 'Network'
  | 'Limits'
  | 'Notifications'
  | 'Monitoring'
  | 'Resources'
  | 'Sources'
  | 'Outbound'
  | 'Processes';

/**
 * What the service does in a folder: it keeps files of its own there, it finds files of others and makes the folder where it is
 * missing, or the folder is others' altogether, such as a disk that may be mounted later.
 */
export type FolderUse = 'own' | 'watched' | 'others';

/** The processes of the service that may run alone. */
export type ProcessName = 'api' | 'ocr-worker' | 'watcher' | 'sync';

/** Who reads the configuration: a process that runs alone, `sheaf backup`, or another command. */
export type ProgramName = ProcessName | 'backup' | 'command';

/** One setting, declared once. `default` is text like any other layer's value; undefined means: may stay unset. */
export interface Variable<T> {
  readonly section: SectionName;
  readonly type: string;
  readonly default: string | undefined;
  /** Undefined for a setting that administrators change: the messages have it, in all languages. `variableMeaning` knows both. */
  readonly meaning: string | undefined;
  readonly schema: z.ZodType<T, string>;
  /** Whether a small installation is likely to set it. Such variables come first in the reference and in the example of service.yml. */
  readonly isEveryday: boolean;
  /** Of a variable that names folders. */
  readonly folderUse: FolderUse | undefined;
  /** The programs that use the folder, where not all do: each may run on a host or in a pod that has no other. */
  readonly usedBy: readonly ProgramName[] | undefined;
  /** Of a variable that names roles, which have to exist. */
  readonly names: 'roles' | undefined;
}

type Optional<T, D> = D extends string ? T : T | undefined;
interface Fields<D extends string | undefined> {
  readonly default: D;
  readonly meaning?: string;
  readonly everyday?: true;
}

type Traits = Partial<Pick<Variable<unknown>, 'folderUse' | 'usedBy' | 'names'>>;

/** A kind of variable: its name in the reference, and which texts it takes. */
export const declare =
  <T>(type: string, schema: z.ZodType<T, string>, { folderUse, usedBy, names }: Traits = {}) =>
  <D extends string | undefined>(section: SectionName, { default: fallback, meaning, everyday }: Fields<D>): Variable<Optional<T, D>> => ({
    section,
    type,
    default: fallback,
    meaning,
    schema,
    isEveryday: everyday === true,
    folderUse,
    usedBy,
    names,
  });

const beginsAtHome = (path: string): boolean => /^~(\/|$)/.test(path);
const NOT_AT_HOME = 'must not start with ~, which only a shell expands; use the full path';

const plainText = z
  .string()
  .min(1)
  .refine((value) => !beginsAtHome(value), NOT_AT_HOME);
export const text = declare('string', plainText);
/** A folder, which is tried before the service starts. */
export const folder = (folderUse: FolderUse, usedBy?: readonly ProgramName[]) => declare('folder', plainText, { folderUse, usedBy });
export const secret = declare(
  'secret',
  z.string().transform((value) => new Secret(value)),
);
export const boolean = declare('boolean', z.stringbool({ error: 'must be true or false' }));
export const listItems = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
export const list = declare('list', listItems);
export const folderList = (use: FolderUse) =>
  declare(
    'list',
    listItems.refine((folders) => !folders.some(beginsAtHome), NOT_AT_HOME),
    { folderUse: use },
  );

const rangeMessage = (min: number, max: number): string => `must be between ${min} and ${max}`;

/** The largest integer of the database. */
const LARGEST = 2_147_483_647;
/** Timers that are asked to wait longer do not wait at all. */
const LONGEST_WAIT_SECONDS = 2_147_483;

export const integer = (min: number, max: number = LARGEST) =>
  declare(
    'integer',
    z
      .string()
      .regex(/^-?\d+$/, 'must be a whole number')
      .transform(Number)
      .refine((value) => value >= min && value <= max, rangeMessage(min, max)),
  );

/** Seconds that something waits for. */
export const seconds = (min: number, max: number = LONGEST_WAIT_SECONDS) => integer(min, max);

export const decimal = (min: number, max: number) =>
  declare(
    'number',
    z
      .string()
      .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
      .transform(Number)
      .refine((value) => value >= min && value <= max, rangeMessage(min, max)),
  );

/** `synonyms` are further spellings, each with the choice that is meant. */
export const choice = <const C extends readonly [string, ...string[]]>(choices: C, synonyms: Readonly<Record<string, C[number]>> = {}) =>
  declare<C[number]>(
    choices.join(' / '),
    z
      .string()
      .transform((value) => synonyms[value.toLowerCase()] ?? choices.find((one) => one.toLowerCase() === value.toLowerCase()) ?? value)
      .pipe(z.enum(choices, { error: `must be one of ${choices.join(', ')}` })) as z.ZodType<C[number], string>,
  );

/** A value written as JSON, such as a map from names to names. */
export const jsonText = <T>(schema: z.ZodType<T>) =>
  z
    .string()
    .transform((value, context): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON, such as {"name": "value"}' });
        return z.NEVER;
      }
    })
    .pipe(schema);

export const json = <T>(schema: z.ZodType<T>) => declare('JSON', jsonText(schema));
