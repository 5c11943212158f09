import type { Translator } from '@sheaf/messages';
import type { SettingSchema } from './setting-kind.ts';

export interface SettingText {
  readonly title: string;
  readonly meaning: string;
}

/** What a setting is called and does in the reader's language; in the service's words where there are no messages of it. */
export const settingText = (find: Translator['find'], name: string, schema: SettingSchema | undefined): SettingText => ({
  title: find(`settingNames.${name}`) ?? name,
  meaning: find(`settingMeanings.${name}`) ?? schema?.['x-meaning'] ?? '',
});
