import {
  Alert,
  Button,
  Checkbox,
  Group,
  List,
  NativeSelect,
  Radio,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { SOURCE_TYPES } from '@sheaf/vocabulary/sources';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { late } from '../../app/late.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ProblemNote, useFieldErrors } from '../../components/problem-note.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import { PasswordField } from '../../components/text-fields.tsx';
import { useChange } from '../../interface/call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';
import { withLaterMessages } from '../../language/load-translator.ts';
import { CodeMessage } from '../../messages/code-message.tsx';
import { draftOf, emptyDraft, type Source, type SourceDraft, toCreateBody, toTestBody, toUpdateBody } from './source-draft.ts';

type TextField = 'name' | 'url' | 'bucket' | 'region' | 'endpointUrl' | 'prefix' | 'path' | 'username';

interface PlaceFieldsProps {
  readonly draft: SourceDraft;
  readonly set: (changes: Partial<SourceDraft>) => void;
  readonly errorOf: (path: string) => string | undefined;
  readonly hasSecret: boolean;
}

/** The name of a source, and where it is: other fields for each kind. */
export const PlaceFields = ({ draft, set, errorOf, hasSecret }: PlaceFieldsProps): ReactNode => {
  const t = useTranslate();
  const isS3 = draft.type === 's3';
  const text = (
    field: TextField,
    label: string,
    path: string,
    rest: { hint?: string; isRequired?: boolean; placeholder?: string } = {},
  ) => (
    <TextInput
      key={field}
      label={label}
      description={rest.hint}
      placeholder={rest.placeholder}
      value={draft[field]}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
      error={errorOf(path)}
      required={rest.isRequired ?? false}
      withAsterisk={false}
      spellCheck={false}
      autoCapitalize="none"
      autoComplete="off"
    />
  );
  return (
    <>
      {text('name', t('sourceScreen.name'), 'name', { isRequired: true })}
      {draft.type === 'webdav' &&
        text('url', t('sourceScreen.url'), 'url', { isRequired: true, placeholder: 'https://cloud.example.org/remote.php/dav/files/ada/' })}
      {isS3 && [
        text('bucket', t('sourceScreen.bucket'), 'settings.bucket', { isRequired: true }),
        text('region', t('sourceScreen.region'), 'settings.region', { placeholder: 'us-east-1' }),
        text('endpointUrl', t('sourceScreen.endpoint'), 'settings.endpoint_url', {
          hint: t('sourceScreen.endpointHint'),
          placeholder: 'https://s3.example.org',
        }),
        text('prefix', t('sourceScreen.prefix'), 'settings.prefix'),
      ]}
      {isS3 && draft.endpointUrl !== '' && (
        <Checkbox
          label={t('sourceScreen.pathStyle')}
          checked={draft.pathStyle ?? true}
          onChange={(event) => set({ pathStyle: event.currentTarget.checked })}
        />
      )}
      {draft.type === 'local_folder' &&
        text('path', t('sourceScreen.path'), 'settings.path', { isRequired: true, placeholder: '/srv/papers' })}
      {draft.type !== 'local_folder' && (
        <>
          {text('username', isS3 ? t('sourceScreen.keyId') : t('sourceScreen.username'), 'username')}
          <PasswordField
            label={isS3 ? t('sourceScreen.secretKey') : t('sourceScreen.password')}
            placeholder={hasSecret ? t('sourceScreen.keptSecret') : undefined}
            value={draft.password}
            onChange={(event) => set({ password: event.currentTarget.value })}
            error={errorOf('password')}
            autoComplete="new-password"
          />
        </>
      )}
    </>
  );
};

const BarcodeFields = late(withLaterMessages(() => import('./barcode-fields.tsx'))).Part;

const INTERVALS = [
  [0, 'byHand'],
  [900, 'every15'],
  [3_600, 'everyHour'],
  [21_600, 'every6'],
  [86_400, 'everyDay'],
] as const;

interface SourceFormProps {
  /** Undefined: a new one. */
  readonly source: Source | undefined;
  readonly onClose: () => void;
}

/** Everything about a source, with a way to try it before it is kept. */
export const SourceForm = ({ source, onClose }: SourceFormProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [draft, setDraft] = useState<SourceDraft>(source === undefined ? emptyDraft : draftOf(source));
  const touches = ['get /api/sources', 'get /api/sources/{id}'] as const;
  const create = useChange('post /api/sources', touches);
  const update = useChange('patch /api/sources/{id}', touches);
  const test = useChange('post /api/sources/test');
  const change = source === undefined ? create : update;
  const [changeErrorOf, testErrorOf] = [useFieldErrors(change.error), useFieldErrors(test.error)];
  const errorOf = (path: string): string | undefined => changeErrorOf(path) ?? testErrorOf(path);
  const [isChanged, setChanged] = useState(false);
  const set = (changes: Partial<SourceDraft>): void => {
    setChanged(true);
    setDraft((before) => ({ ...before, ...changes }));
  };
  // the answer stands above the button, which keeps its place on the screen
  const buttons = useRef<HTMLDivElement>(null);
  const answer = test.data ?? test.error;
  useEffect(() => {
    if (answer !== null && answer !== undefined) buttons.current?.scrollIntoView({ block: 'end' });
  }, [answer]);

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (source === undefined) create.mutate({ body: toCreateBody(draft) }, { onSuccess: onClose });
    else update.mutate({ params: { id: source.id }, body: toUpdateBody(draft) }, { onSuccess: onClose });
  };
  const intervals = INTERVALS.map(([seconds, label]) => ({ value: String(seconds), label: t(`sourceScreen.${label}`) }));
  const isKnownInterval = INTERVALS.some(([seconds]) => seconds === draft.intervalSeconds);

  return (
    <Dialog
      opened
      onClose={onClose}
      title={source === undefined ? t('sourceScreen.create') : `${t('sourceScreen.edit')}: ${source.name}`}
      size="lg"
      // what was typed is discarded by the button only
      closeOnEscape={!isChanged}
      closeOnClickOutside={!isChanged}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={change.error} />
          {source === undefined && (
            <Radio.Group label={t('sourceScreen.type')} value={draft.type} onChange={(type) => set({ type })}>
              <SimpleGrid cols={{ base: 1, sm: 3 }} mt={4}>
                {SOURCE_TYPES.map((type) => (
                  <Radio.Card key={type} value={type} p="sm">
                    <Group wrap="nowrap" gap="sm">
                      <Radio.Indicator />
                      <Stack gap={0} className="stranger" style={{ minWidth: 0 }}>
                        <Text size="sm" fw={500}>
                          {t(`sourceScreen.${type}`)}
                        </Text>
                        <SmallNote>{t(`sourceScreen.${type}Hint`)}</SmallNote>
                      </Stack>
                    </Group>
                  </Radio.Card>
                ))}
              </SimpleGrid>
            </Radio.Group>
          )}
          <PlaceFields draft={draft} set={set} errorOf={errorOf} hasSecret={source?.has_secret === true} />
          <NativeSelect
            label={t('sourceScreen.interval')}
            data={
              isKnownInterval
                ? intervals
                : [
                    ...intervals,
                    {
                      value: String(draft.intervalSeconds),
                      label: t('sourceScreen.everySeconds', { duration: format.duration(draft.intervalSeconds) }),
                    },
                  ]
            }
            value={String(draft.intervalSeconds)}
            onChange={(event) => set({ intervalSeconds: Number(event.currentTarget.value) })}
          />
          <Textarea
            label={t('sourceScreen.patterns')}
            description={t('sourceScreen.patternsHint')}
            value={draft.patterns}
            onChange={(event) => set({ patterns: event.currentTarget.value })}
            error={errorOf('file_patterns') ?? errorOf('file_patterns.0')}
            autosize
            minRows={2}
          />
          <Checkbox
            label={t('sourceScreen.recursive')}
            checked={draft.recursive}
            onChange={(event) => set({ recursive: event.currentTarget.checked })}
          />
          <NativeSelect
            label={t('sourceScreen.removal')}
            data={[
              { value: 'keep', label: t('sourceScreen.keep') },
              { value: 'delete', label: t('sourceScreen.delete') },
            ]}
            value={draft.onRemoteDelete}
            onChange={(event) => set({ onRemoteDelete: event.currentTarget.value === 'delete' ? 'delete' : 'keep' })}
          />
          <BarcodeFields barcodes={draft.barcodes} onChange={(barcodes) => set({ barcodes })} errorOf={errorOf} />
          <Switch
            label={t('sourceScreen.enabled')}
            checked={draft.enabled}
            onChange={(event) => set({ enabled: event.currentTarget.checked })}
          />
          <ProblemNote problem={test.error} />
          {test.data !== undefined && (
            <Alert
              color={test.data.success ? 'teal' : 'red'}
              title={test.data.success ? t('sourceScreen.works') : t('sourceScreen.fails')}
              role="status"
            >
              <Text size="sm" className="stranger">
                <CodeMessage namespace="sources" code={test.data.code} message={test.data.message} />
              </Text>
              {test.data.sample !== undefined && test.data.sample.length > 0 && (
                <>
                  <Text size="sm" mt="xs">
                    {t('sourceScreen.someFiles')}
                  </Text>
                  <List size="sm">
                    {test.data.sample.map((path) => (
                      <List.Item key={path} className="stranger">
                        {path}
                      </List.Item>
                    ))}
                  </List>
                </>
              )}
            </Alert>
          )}
          <Group ref={buttons} justify="space-between">
            <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ body: toTestBody(draft, source?.id) })}>
              {t('sourceScreen.test')}
            </Button>
            <Group gap="sm">
              <Button variant="default" onClick={onClose}>
                {t('sourceScreen.cancel')}
              </Button>
              <Button type="submit" loading={change.isPending}>
                {t('sourceScreen.save')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
};
