import { SYSTEM_SETTING_KEYS, systemSetting, VARIABLES } from '@sheaf/config/testing';
import { englishTranslator } from '@sheaf/messages/english';
import test from 'ava';

const settings = new Set(SYSTEM_SETTING_KEYS.map((key) => systemSetting(key).variable));

test('the meaning of a variable stands with it, or in the messages where administrators change it', (t) => {
  const untold = Object.entries(VARIABLES).filter(([, { meaning }]) => meaning === undefined);
  t.deepEqual(untold.map(([name]) => name).toSorted(), [...settings].toSorted());
});

test('each setting has a name and a meaning among the messages', (t) => {
  const { find } = englishTranslator();
  const silent = SYSTEM_SETTING_KEYS.filter(
    (key) => find(`settingNames.${key}`) === undefined || find(`settingMeanings.${key}`) === undefined,
  );
  t.deepEqual(silent, []);
});
