import { Button, Card, Group, Input, NativeSelect, NumberInput, SegmentedControl, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { OcrLanguagePicker } from '../../components/ocr-language-picker.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import type { Answer } from '../../interface/call.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useTexts } from '../../language/language.tsx';
import { useFieldErrors } from '../../said/use-problem-words.ts';
import { settingsTexts } from './texts.ts';

type UserSettings = Answer<'get /api/settings'>;

const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const;
const MOST_ROWS = 100;

const SettingsForm = ({ settings }: { readonly settings: UserSettings }): ReactNode => {
  const t = useTexts(settingsTexts);
  const [draft, setDraft] = useState(settings);
  const change = useChange('put /api/settings', ['get /api/settings']);
  const set = (changes: Partial<UserSettings>): void => setDraft((before) => ({ ...before, ...changes }));
  const errorOf = useFieldErrors(change.error);
  const { theme, language, notifications_enabled, ocr_default_language, items_per_page } = draft;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ body: { theme, language, notifications_enabled, ocr_default_language, items_per_page } });
  };
  const isOther = !['auto', ...LANGUAGES.map(([code]) => code as string)].includes(language);
  return (
    <Card withBorder padding="lg" maw={620} component="form" onSubmit={submit}>
      <Stack gap="lg">
        {change.error !== null && change.error.issues.length === 0 && <ProblemNote problem={change.error} />}
        <Input.Wrapper label={t.theme} labelElement="div">
          <div>
            <SegmentedControl
              aria-label={t.theme}
              data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t[value] }))}
              value={theme}
              onChange={(value) => set({ theme: value })}
            />
          </div>
        </Input.Wrapper>
        <NativeSelect
          label={t.language}
          data={[
            { value: 'auto', label: t.browser },
            ...LANGUAGES.map(([value, label]) => ({ value: value as string, label: label as string })),
            ...(isOther ? [{ value: language, label: language }] : []),
          ]}
          value={language}
          onChange={(event) => set({ language: event.currentTarget.value })}
          error={errorOf('language')}
        />
        <Switch
          label={t.notifications}
          description={t.notificationsHint}
          checked={notifications_enabled}
          onChange={(event) => set({ notifications_enabled: event.currentTarget.checked })}
        />
        <OcrLanguagePicker
          label={t.ocrLanguage}
          value={ocr_default_language}
          onChange={(value) => set({ ocr_default_language: value })}
          error={errorOf('ocr_default_language')}
        />
        <NumberInput
          label={t.perPage}
          min={1}
          max={MOST_ROWS}
          value={items_per_page}
          onChange={(value) => set({ items_per_page: Number(value) })}
          error={errorOf('items_per_page')}
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t.save}
          </Button>
          <Text size="sm" role="status" c="dimmed">
            {change.isSuccess ? t.saved : ''}
          </Text>
        </Group>
      </Stack>
    </Card>
  );
};

/** What a user chooses for himself. */
const Settings = (): ReactNode => {
  const t = useTexts(settingsTexts);
  const { data, error, refetch } = useCall('get /api/settings', {});
  return (
    <>
      <ScreenHeader title={t.title} hint={t.hint} />
      {data === undefined ? (
        error === null ? (
          <Skeleton height={360} maw={620} radius="md" />
        ) : (
          <ProblemNote problem={error} onRetry={() => void refetch()} />
        )
      ) : (
        <SettingsForm settings={data} />
      )}
    </>
  );
};
export default Settings;
