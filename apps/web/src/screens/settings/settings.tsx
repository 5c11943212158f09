import { Card, Input, NativeSelect, NumberInput, SegmentedControl, Skeleton, Stack, Switch } from '@mantine/core';
import { LOCALES, type Locale } from '@sheaf/messages';
import { type FormEvent, type ReactNode, useState } from 'react';
import { SaveButton } from '../../components/dialog.tsx';
import { OcrLanguagePicker } from '../../components/ocr-language-picker.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-parts.tsx';
import { type Answer, useCall, useChange } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';

type UserSettings = Answer<'get /api/settings'>;

/** Each language in its own name. */
const LANGUAGE_NAMES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const satisfies Readonly<Record<Locale, string>>;
const MOST_ROWS = 100;

const SettingsForm = ({ settings }: { readonly settings: UserSettings }): ReactNode => {
  const t = useTranslate();
  const [draft, setDraft] = useState(settings);
  const change = useChange('put /api/settings', ['get /api/settings']);
  const set = (changes: Partial<UserSettings>): void => setDraft((before) => ({ ...before, ...changes }));
  const errorOf = useFieldErrors(change.error);
  const { theme, language, notifications_enabled, ocr_default_language, items_per_page } = draft;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change.mutate({ body: { theme, language, notifications_enabled, ocr_default_language, items_per_page } });
  };
  const isOther = language !== 'auto' && !(LOCALES as readonly string[]).includes(language);
  return (
    <Card withBorder padding="lg" maw={620} component="form" onSubmit={submit}>
      <Stack gap="lg">
        {change.error !== null && change.error.issues.length === 0 && <ProblemNote problem={change.error} />}
        <Input.Wrapper label={t('settings.theme')} labelElement="div">
          <div>
            <SegmentedControl
              aria-label={t('settings.theme')}
              data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t(`settings.${value}`) }))}
              value={theme}
              onChange={(value) => set({ theme: value })}
            />
          </div>
        </Input.Wrapper>
        <NativeSelect
          label={t('settings.language')}
          data={[
            { value: 'auto', label: t('settings.browser') },
            ...LOCALES.map((locale) => ({ value: locale as string, label: LANGUAGE_NAMES[locale] as string })),
            ...(isOther ? [{ value: language, label: language }] : []),
          ]}
          value={language}
          onChange={(event) => set({ language: event.currentTarget.value })}
          error={errorOf('language')}
        />
        <Switch
          label={t('settings.notifications')}
          description={t('settings.notificationsHint')}
          checked={notifications_enabled}
          onChange={(event) => set({ notifications_enabled: event.currentTarget.checked })}
        />
        <OcrLanguagePicker
          label={t('settings.ocrLanguage')}
          value={ocr_default_language}
          onChange={(value) => set({ ocr_default_language: value })}
          error={errorOf('ocr_default_language')}
        />
        <NumberInput
          label={t('settings.perPage')}
          min={1}
          max={MOST_ROWS}
          value={items_per_page}
          onChange={(value) => set({ items_per_page: Number(value) })}
          error={errorOf('items_per_page')}
        />
        <SaveButton label={t('settings.save')} saved={t('settings.saved')} change={change} />
      </Stack>
    </Card>
  );
};

/** What a user chooses for themselves. */
const Settings = (): ReactNode => {
  const t = useTranslate();
  const { data, error, refetch } = useCall('get /api/settings', {});
  return (
    <>
      <ScreenHeader title={t('settings.title')} hint={t('settings.hint')} />
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
