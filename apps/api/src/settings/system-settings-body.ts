import {
  isSystemSetting,
  type SettingValue,
  SYSTEM_SETTING_KEYS,
  type SystemSettingKey,
  settingMeaning,
  settingSchema,
  settingSection,
  systemSetting,
} from '@sheaf/config';
import { plainIssue, validationError } from '@sheaf/contract';
import { userSettingsBody, userSettingsRequest } from '@sheaf/contract/users';
import { z } from 'zod';

const describe = (key: SystemSettingKey): Readonly<Record<'description' | 'x-meaning' | 'x-section', string>> => {
  const { variable, restarts } = systemSetting(key);
  const when = restarts === undefined ? '' : `; applies after a restart of ${restarts.join(', ')}`;
  const meaning = settingMeaning(key);
  return { description: `${variable}: ${meaning}${when}`, 'x-meaning': meaning, 'x-section': settingSection(key) };
};

const shapeOf = <T extends z.ZodType>(make: (key: SystemSettingKey) => T): Record<SystemSettingKey, T> =>
  Object.fromEntries(SYSTEM_SETTING_KEYS.map((key) => [key, make(key)])) as Record<SystemSettingKey, T>;

const systemSettingsBody = z.strictObject(shapeOf((key) => settingSchema(key).meta(describe(key)))).meta({ id: 'SystemSettings' });

const changes = shapeOf((key) => settingSchema(key).nullable().optional().meta(describe(key)));
const systemSettingsRequest = z.strictObject(changes).meta({ id: 'SystemSettingsRequest' });

const settingKey = z.enum(SYSTEM_SETTING_KEYS as unknown as readonly [SystemSettingKey, ...SystemSettingKey[]]);

export const settingsBody = userSettingsBody
  .extend({
    system: systemSettingsBody.optional().describe('System settings; requires the permission settings.read'),
    stored: z.array(settingKey).optional().describe('System settings with a stored value'),
    restart_required: z.array(settingKey).optional().describe('System settings that apply after a restart'),
  })
  .meta({ id: 'Settings' });
export type SettingsBody = z.infer<typeof settingsBody>;

export const settingsRequest = userSettingsRequest
  .extend({ ...changes, system: systemSettingsRequest.optional().describe('System settings are also accepted here') })
  .meta({ id: 'SettingsRequest' });
type SettingsRequest = z.infer<typeof settingsRequest>;

/** The values of system settings that a request names; null takes the stored one away. */
export type SettingChanges = Partial<Record<SystemSettingKey, SettingValue | null>>;

/** The system settings of a request, wherever they stand. Throws VALIDATION_ERROR for one that stands twice. */
export const systemChanges = ({ system = {}, ...rest }: SettingsRequest): SettingChanges => {
  const above = Object.entries(rest).filter(([key, value]) => isSystemSetting(key) && value !== undefined);
  const below = Object.entries(system).filter(([, value]) => value !== undefined);
  const twice = below.filter(([key]) => above.some(([other]) => other === key));
  if (twice.length > 0)
    throw validationError('Duplicate setting.', {
      issues: twice.map(([path]) => plainIssue(path, 'is set both at the top level and in `system`')),
    });
  return Object.fromEntries([...above, ...below]) as SettingChanges;
};
