import { recordAuditEntries } from '@sheaf/accounts/users';
import { readSetting, type SettingProblem, type SettingValue, type SystemSettingKey } from '@sheaf/config';
import { type AppError, invalidInput, plainIssue } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { lockSystemSettings, writeSystemSettings } from '@sheaf/program/settings';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { SettingsServices } from './settings-services.ts';
import type { SettingChanges } from './system-settings-body.ts';

/** Who changes settings, and from where. */
interface Changer {
  readonly principal: Principal;
  readonly address: string | undefined;
}

const refused = (problems: readonly SettingProblem[]): AppError =>
  invalidInput(
    'body',
    problems.map(({ key, message }) => plainIssue(key, message)),
  );

/** The values in their one spelling. Throws VALIDATION_ERROR with every one that is not valid. */
const normalise = (changes: SettingChanges): Record<string, SettingValue | null> => {
  const problems: SettingProblem[] = [];
  const values = Object.entries(changes).map(([key, value]) => {
    const read = value === null ? { value } : readSetting(key as SystemSettingKey, value);
    if ('problem' in read) problems.push({ key, message: read.problem });
    return [key, 'problem' in read ? null : read.value] as const;
  });
  if (problems.length > 0) throw refused(problems);
  return Object.fromEntries(values);
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * Stores settings, with a line of the audit log for each that becomes another one: the value that held, wherever it came from, and the one that
 * holds; `reset` where nothing is stored any more and the configuration holds again. Throws VALIDATION_ERROR with `issues` when a
 * value is not valid, or when the whole configuration would not be. Who changes the same at the same time comes after.
 */
export const changeSystemSettings = async (tx: Db, changes: SettingChanges, by: Changer, { feed }: SettingsServices): Promise<void> => {
  const wanted = normalise(changes);
  const before = await lockSystemSettings(tx);
  const changed = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => !isSame(before[key], value)));
  const keys = Object.keys(changed) as SystemSettingKey[];
  if (keys.length === 0) return;
  const after = Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value !== null));
  const problems = feed.layers.judge(before, after, keys);
  if (problems.length > 0) throw refused(problems);
  const [held, holds] = [feed.layers.values(before), feed.layers.values(after)];
  await writeSystemSettings(tx, changed, by.principal.userId);
  const { userId, username } = by.principal;
  await recordAuditEntries(
    tx,
    keys.map((key) => ({
      actor: { userId, username },
      address: by.address,
      action: 'setting.changed',
      outcome: 'success',
      subject: { type: 'setting', id: key },
      details: { old: held[key], new: holds[key], ...(changed[key] === null ? { reset: true } : {}) },
    })),
  );
};
