import { isSystemSetting, readSetting, type StoredSettings, type SystemSettingKey } from '@sheaf/config';
import type { ProcessRow } from '@sheaf/db/schema';
import { z } from 'zod';

/** What processes say of the settings that they take up at a start only: see LayeredSettings.startSettings. */
const facts = z.object({ start_settings: z.record(z.string(), z.object({ used: z.unknown(), unstored: z.unknown() })) });

/** The settings of which a running process works with another value than it would after a start, in order. */
export const restartRequired = (stored: StoredSettings, processes: readonly ProcessRow[]): SystemSettingKey[] => {
  const keys = processes.flatMap((row) => {
    const settings = Object.entries(facts.safeParse(row.facts).data?.start_settings ?? {});
    return settings.flatMap(([key, { used, unstored }]) => {
      if (!isSystemSetting(key)) return [];
      const read = readSetting(key, stored[key]);
      const next = 'problem' in read ? unstored : read.value;
      return JSON.stringify(next) === JSON.stringify(used) ? [] : [key];
    });
  });
  return [...new Set(keys)].toSorted();
};
