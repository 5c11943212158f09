import { Alert, Button, Card, Checkbox, Group, List, Stack, Text, TextInput, ThemeIcon, Title } from '@mantine/core';
import { problemsText } from '@sheaf/messages';
import { SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import { IconCheck } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { OcrLanguagePicker } from '../../components/ocr-language-picker.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-parts.tsx';
import { useCall, useChange } from '../../interface/call.ts';
import { useTranslate, useTranslator } from '../../language/language.tsx';
import { UploadButton } from '../../uploads/upload-button.tsx';
import { useUploads } from '../../uploads/uploads.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

const Step = ({ number, title, isDone, children }: StepProps): ReactNode => (
  <Card withBorder padding="lg" component="li">
    <Group align="flex-start" wrap="nowrap" gap="md">
      <ThemeIcon size={36} radius="xl" variant={isDone ? 'filled' : 'light'} aria-hidden>
        {isDone ? <IconCheck size={20} /> : <Text fw={700}>{number}</Text>}
      </ThemeIcon>
      <Stack gap="sm" style={{ flex: 1, minWidth: 0 }}>
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Group>
  </Card>
);

const PARTS = ['database', 'ocr_engine', 'file_storage'] as const;

/** Whether all parts of the service are well, and the remedy for what is not. */
const Parts = (): ReactNode => {
  const t = useTranslate();
  const translator = useTranslator();
  const { data, error, refetch } = useCall('get /api/health', {}, { refetchIntervalMs: 5_000 });
  if (data === undefined) return <ProblemNote problem={error} onRetry={() => void refetch()} />;
  const findings = Object.entries(data.problems);
  return (
    <>
      <List size="sm" spacing={4}>
        {PARTS.map((part) => (
          <List.Item key={part}>
            {t(`firstRun.${part}`)}: {t(`firstRun.${data.components[part]}`)}
          </List.Item>
        ))}
      </List>
      {findings.length === 0 ? (
        <Text size="sm">{t('firstRun.partsGood')}</Text>
      ) : (
        <Alert color="yellow" title={t('firstRun.partsBad')}>
          {findings.map(([part, problems]) => (
            <Text key={part} size="sm" className="stranger">
              {problemsText(problems, translator)}
            </Text>
          ))}
        </Alert>
      )}
    </>
  );
};

const Find = (): ReactNode => {
  const t = useTranslate();
  const [, navigate] = useLocation();
  const [word, setWord] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (word.trim() !== '') navigate(`/search?${new URLSearchParams({ q: word.trim() })}`);
  };
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          label={t('firstRun.findWhat')}
          value={word}
          onChange={(event) => setWord(event.currentTarget.value)}
          style={{ flex: '1 1 200px' }}
        />
        <Button type="submit">{t('firstRun.search')}</Button>
      </Group>
    </form>
  );
};

/** Asks what papers are written in: whoever does not know has it found out. */
const DocumentLanguage = ({ onSaved }: { readonly onSaved: () => void }): ReactNode => {
  const t = useTranslate();
  const [language, setLanguage] = useState('auto');
  const [takesAll, setTakesAll] = useState(true);
  const save = useChange('put /api/settings', ['get /api/settings']);
  const errorOf = useFieldErrors(save.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const types = takesAll ? { allowed_file_types: [...SUPPORTED_EXTENSIONS] } : {};
    save.mutate({ body: { system: { ocr_language: language, ...types } } }, { onSuccess: onSaved });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" align="flex-start">
        {errorOf('ocr_language') === undefined && <ProblemNote problem={save.error} />}
        <OcrLanguagePicker label={t('document.ocrLanguage')} value={language} onChange={setLanguage} error={errorOf('ocr_language')} />
        <Checkbox
          label={t('firstRun.allTypes')}
          description={SUPPORTED_EXTENSIONS.join(', ')}
          checked={takesAll}
          onChange={(event) => setTakesAll(event.currentTarget.checked)}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={language === ''}>
            {t('firstRun.languageSave')}
          </Button>
          <Text size="sm" role="status">
            {save.isSuccess ? t('firstRun.languageSaved') : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
};

/** What a new administrator sees first: is everything there, the first paper, and how it is found again. */
const Welcome = (): ReactNode => {
  const t = useTranslate();
  const queue = useUploads();
  const { uploads } = useSyncExternalStore(queue.subscribe, queue.view);
  const health = useCall('get /api/health', {});
  const [isLanguageSaved, setLanguageSaved] = useState(false);
  const read = uploads.find(({ state }) => state === 'read');
  return (
    <>
      <ScreenHeader title={t('firstRun.ready')} hint={t('firstRun.readyHint')}>
        <Button component={Link} href="/documents" variant="default">
          {t('firstRun.finish')}
        </Button>
      </ScreenHeader>
      <Stack component="ol" gap="md" p={0} m={0} maw={760} style={{ listStyle: 'none' }}>
        <Step number={1} title={t('firstRun.parts')} isDone={health.data?.status === 'healthy'}>
          <Parts />
        </Step>
        <Step number={2} title={t('firstRun.language')} isDone={isLanguageSaved}>
          <Text size="sm">{t('firstRun.languageHint')}</Text>
          <DocumentLanguage onSaved={() => setLanguageSaved(true)} />
        </Step>
        <Step number={3} title={t('firstRun.first')} isDone={read !== undefined}>
          <Text size="sm">{t('firstRun.firstHint')}</Text>
          <Group>
            <UploadButton />
          </Group>
          <Text size="sm" role="status" className="stranger">
            {read !== undefined ? t('firstRun.read', { name: read.file.name }) : uploads.length > 0 ? t('firstRun.watchingHint') : ''}
          </Text>
        </Step>
        <Step number={4} title={t('firstRun.find')} isDone={false}>
          <Text size="sm">{t('firstRun.findHint')}</Text>
          <Find />
        </Step>
      </Stack>
    </>
  );
};
export default Welcome;
