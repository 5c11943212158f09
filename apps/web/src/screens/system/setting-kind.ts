import type { Translator } from '@sheaf/messages';

export interface SettingText {
  readonly title: string;
  readonly meaning: string;
}

/** What a setting is called and does in the reader's language; in the service's words where there are no messages of it. */
export const settingText = (find: Translator['find'], name: string, schema: SettingSchema | undefined): SettingText => ({
  title: find(`settingNames.${name}`) ?? name,
  meaning: find(`settingMeanings.${name}`) ?? schema?.['x-meaning'] ?? '',
});

/** A system setting as the text of the interface describes it (JSON Schema). */
export interface SettingSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: { readonly enum?: readonly string[] };
  readonly description?: string;
  readonly anyOf?: readonly SettingSchema[];
  /** What it does, in English. */
  readonly 'x-meaning'?: string;
  readonly 'x-section'?: string;
}

type SettingKind = 'boolean' | 'number' | 'choice' | 'list' | 'text';

/** With what it is edited. */
export const kindOf = (schema: SettingSchema): SettingKind => {
  if (schema.enum !== undefined) return 'choice';
  switch (schema.type) {
    case 'boolean':
      return 'boolean';
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return 'list';
    default:
      return 'text';
  }
};

/** The settings by what they are about, in the order in which they are told. */
export const bySection = (
  settings: readonly (readonly [name: string, schema: SettingSchema])[],
): ReadonlyMap<string, readonly (readonly [name: string, schema: SettingSchema])[]> =>
  Map.groupBy(settings, ([, schema]) => schema['x-section'] ?? '');

interface InterfaceText {
  readonly components?: { readonly schemas?: Readonly<Record<string, { readonly properties?: Readonly<Record<string, SettingSchema>> }>> };
}

/** All system settings there are, by their key. */
export const readSettingSchemas = async (): Promise<Readonly<Record<string, SettingSchema>>> => {
  const response = await fetch('/api/openapi.json', { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`The text of the interface answers with status ${response.status}`);
  const { components } = (await response.json()) as InterfaceText;
  return components?.schemas?.['SystemSettings']?.properties ?? {};
};
