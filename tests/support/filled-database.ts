import type { ClientBase } from 'pg';

/** What text formats trip over: their separators, their escapes, their null, and characters of two, three and four bytes. */
const HARD_TEXT = `tab\\there, line\\nthere, carriage\\rreturn, back\\\\slash, \\\\N, \\\\., "quotes", ''apostrophes'', ä, €, 𝄞, e\\u0301`;

export const FILLED = {
  user: '00000000-0000-7000-8000-000000000001',
  other: '00000000-0000-7000-8000-000000000002',
  label: '00000000-0000-7000-9000-000000000001',
  source: '00000000-0000-7000-9100-000000000001',
  /** Of the document whose bytes are `content`. */
  sha256: (i: number): string => String(i).padStart(64, '0'),
  documents: 3,
} as const;

const FILL = `
insert into users (id, username, email, role, display_name, password_hash, created_at, external_groups) values
  ('${FILLED.user}', 'ann', 'ann@example.org', 'admin', E'${HARD_TEXT}', 'hash', '2026-01-02 03:04:05.678901+00', '{a,"b c",NULL,"{}"}'),
  ('${FILLED.other}', 'bob', 'bob@example.org', 'viewer', null, null, 'infinity', '{}');
insert into sessions (id, user_id, expires_at, kind, cookie_hash) values
  ('00000000-0000-7000-8100-000000000001', '${FILLED.user}', now() + interval '1 day', 'token', null),
  ('00000000-0000-7000-8100-000000000002', '${FILLED.other}', now() + interval '1 day', 'cookie', 'hash');
insert into labels (id, name, color, created_by) values
  ('${FILLED.label}', E'${HARD_TEXT}', '#808080', '${FILLED.user}'),
  ('00000000-0000-7000-9000-000000000002', 'Empty', '#00ff00', null);
update labels set parent_id = '${FILLED.label}' where name = 'Empty';
insert into sources (id, owner_id, name, type, url, username, sealed_secret, settings, sync_interval_seconds, failures) values
  ('${FILLED.source}', '${FILLED.user}', 'Archive', 'webdav', 'https://dav.example.org/', 'ann', 'sealed', '{"a": [1, null]}', 60, 2);
insert into documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, ocr_language, ocr_confidence, page_count,
    source, source_id, metadata, created_at, source_removed_at)
  select ('00000000-0000-7000-a000-00000000000' || i)::uuid, '${FILLED.user}', E'${HARD_TEXT} ' || i, i || '.txt', 'text/plain', 10 * i,
    lpad(i::text, 64, '0'), '/elsewhere/documents/' || i, (array['completed', 'processing', 'pending'])[i], 'eng', 1 / 3.0::real, i,
    (array['upload', 'webdav', 'watch'])[i], case i when 2 then '${FILLED.source}'::uuid end, jsonb_build_object('k', E'${HARD_TEXT}', 'n', i),
    timestamptz '2026-01-15' + i * interval '20 days', case i when 2 then now() end
  from generate_series(1, 3) as i;
insert into document_notes (id, document_id, author_id, text) select gen_random_uuid(), id, '${FILLED.user}', 'a note' || chr(10) || 'of two lines'
  from documents;
update documents set notes_count = 1;
insert into document_einvoices (document_id, invoice, rules, violations) select id, jsonb_build_object('number', E'${HARD_TEXT}'), 'en16931',
  '[{"code": "BR-CO-10", "message": "m"}]' from documents where status = 'completed';
update documents set has_einvoice = status = 'completed';
insert into correspondents (id, name, aliases, ibans, vat_ids, domains, date_order, created_by) values
  ('00000000-0000-7000-a100-000000000001', E'${HARD_TEXT}', E'{one, "two words"}', '{DE02120300000000202051}', '{DE123456789}', '{example.org}',
    'day_first', '${FILLED.user}');
insert into saved_searches (id, owner_id, name, query, filters, sort, sort_order, columns, is_shared, notify_since) values
  ('00000000-0000-7000-a300-000000000001', '${FILLED.user}', E'${HARD_TEXT}', E'${HARD_TEXT}', '{"language": ["deu"]}', 'score', 'desc',
    E'{title,"two words"}', true, now());
insert into saved_search_pins values ('00000000-0000-7000-a300-000000000001', '${FILLED.other}', 0);
insert into shares (id, token_hash, created_by, document_id, saved_search_id, password_hash, allow_download, expires_at, access_count) values
  ('00000000-0000-7000-a400-000000000001', 'hash of a token', '${FILLED.user}', (select id from documents order by id limit 1), null, null, true,
    now(), 9007199254740993),
  ('00000000-0000-7000-a400-000000000002', 'hash of another', '${FILLED.user}', null, '00000000-0000-7000-a300-000000000001', 'argon2id', false,
    now(), 0);
insert into paperless_ids (kind, object_id) select 'document', id from documents;
insert into saved_search_candidates (document_id) select id from documents where status = 'completed';
insert into document_types (id, name, created_by) values ('00000000-0000-7000-a200-000000000001', E'${HARD_TEXT}', '${FILLED.user}');
update documents set correspondent_id = '00000000-0000-7000-a100-000000000001', document_type_id = '00000000-0000-7000-a200-000000000001',
  confirmed_fields = '{correspondent,document_date}' where id = (select min(id::text)::uuid from documents);
update documents set document_date = '2024-02-29', archive_number = 7 where id = (select min(id::text)::uuid from documents);
insert into custom_fields (id, name, type, choices, document_type_id, created_by) values
  ('00000000-0000-7000-a300-000000000001', E'${HARD_TEXT}', 'text', '{}', '00000000-0000-7000-a200-000000000001', '${FILLED.user}'),
  ('00000000-0000-7000-a300-000000000002', 'Amount', 'amount', '{}', null, null),
  ('00000000-0000-7000-a300-000000000003', 'State', 'choice', E'{"two words", "\\\\"quotes\\\\"", a}', null, null),
  ('00000000-0000-7000-a300-000000000004', 'Due', 'date', '{}', null, null),
  ('00000000-0000-7000-a300-000000000005', 'Paid', 'boolean', '{}', null, null),
  ('00000000-0000-7000-a300-000000000006', 'Answers', 'document', '{}', null, null);
insert into document_fields (document_id, field_id, text_value, number_value, currency, date_value, boolean_value, document_value)
  select documents.id, ('00000000-0000-7000-a300-00000000000' || n)::uuid, case n when 1 then E'${HARD_TEXT}' when 3 then 'two words' end,
    case n when 2 then 12345678901234.5600 end, case n when 2 then 'EUR' end, case n when 4 then date '2024-02-29' end,
    case n when 5 then false end, case n when 6 then documents.id end
  from documents, generate_series(1, 6) as n;
insert into rules (id, created_by, name, query, filters, actions, position) values
  ('00000000-0000-7000-a300-000000000001', '${FILLED.user}', E'${HARD_TEXT}', 'invoice "of 2024"', '{"has_labels": false}',
    '[{"add_label": "${FILLED.label}"}]', 1);
insert into rule_changes (id, rule_id, rule_name, document_id, field, from_value, to_value, undone_at)
  select gen_random_uuid(), '00000000-0000-7000-a300-000000000001', E'${HARD_TEXT}', id, 'label', null,
    jsonb_build_object('id', '${FILLED.label}', 'name', E'${HARD_TEXT}'), case status when 'pending' then now() end from documents;
insert into imports (id, kind, source, owner_id, state, counts, report, finished_at, requested_by, is_dry_run, path, filename, pattern, has_passphrase,
    phase, documents_done, documents_total, fence, attempts, lease_until, error) values
  ('00000000-0000-7000-a400-000000000001', 'paperless', 'paperless', '${FILLED.user}', 'completed', '{"labels": 2}',
    jsonb_build_array(jsonb_build_object('kind', 'document', 'reason', E'${HARD_TEXT}')), now(), '${FILLED.user}', false, null, E'${HARD_TEXT}', null,
    true, null, 3, 4, 2, 1, null, E'${HARD_TEXT}'),
  ('00000000-0000-7000-a400-000000000002', 'folder', 'folder', '${FILLED.user}', 'running', '{}', '[]', null, null, false, '/srv', null, '{labels}',
    false, 'documents', 3, null, 2, 1, '2026-02-03', null);
insert into import_items (kind, source, model, foreign_id, local_id, is_joined, fingerprint) values
  ('paperless', 'paperless', 'documents.tag', '7', '${FILLED.label}', true, E'${HARD_TEXT}');
update documents set imported_from = 'paperless:7' where id = (select min(id::text)::uuid from documents);
update documents set rules_due_at = '2026-02-03' where status = 'pending';
insert into document_facts (id, document_id, kind, value, page, x, y, width, height, confidence, rule, date_order, correspondent_id, rank) values
  ('00000000-0000-7000-a300-000000000001', '00000000-0000-7000-a000-000000000001', 'sender', E'${HARD_TEXT}', 1, 0.1, 1 / 3.0::real, 0.25, 0.5, 0.9,
    'sender.name', null, '00000000-0000-7000-a100-000000000001', 0),
  ('00000000-0000-7000-a300-000000000002', '00000000-0000-7000-a000-000000000001', 'document_date', '2024-02-29', null, null, null, null, null, 0.5,
    'date.label', 'day_first', null, 0);
insert into minhash_signatures (document_id, is_compared, signature) values
  ('00000000-0000-7000-a000-000000000001', true, decode(repeat('a7', 46), 'hex')),
  ('00000000-0000-7000-a000-000000000002', false, null);
insert into near_duplicates (document_id, other_id, similarity, is_dismissed) values
  ('00000000-0000-7000-a000-000000000001', '00000000-0000-7000-a000-000000000002', 1 / 3.0::real, true);
insert into search_renewals (version, position, compared, renewed) values
  (1, '00000000-0000-7000-a000-000000000001', 1, 1);
insert into document_labels select id, '${FILLED.label}' from documents where status <> 'pending';
insert into document_pages (document_id, page, content, confidence, origin, error, is_stale)
  select id, page, E'${HARD_TEXT}' || repeat(' word' || page, 3), 0.1::real * page, case page when 1 then 'text' else 'ocr' end,
    case page when 2 then 'timeout' end, page = 2
  from documents, generate_series(1, 2) as page;
insert into document_versions (document_id, version, filename, mime_type, size_bytes, sha256, file_path, page_count, ocr_language, ocr_confidence,
    source, created_at) values
  ('00000000-0000-7000-a000-000000000001', 1, E'${HARD_TEXT}', 'text/plain', 10, lpad('1', 64, '0'), '/elsewhere/documents/1', 1, 'eng', 1 / 3.0::real,
    'upload', '2026-01-15');
insert into document_version_pages (document_id, version, page, content, confidence, origin, error, words, language) values
  ('00000000-0000-7000-a000-000000000001', 1, 1, E'${HARD_TEXT}', 0.1::real, 'ocr', 'timeout', '\\x00ff5c', 'deu');
update documents set version = 2, version_created_at = now() where id = '00000000-0000-7000-a000-000000000001';
insert into document_ids values ('00000000-0000-7000-a000-000000000009');
insert into trashed_documents (id, owner_id, title, filename, mime_type, size_bytes, sha256, file_path, status, ocr_language, ocr_confidence,
    page_count, source, metadata, created_at, archive_number, correspondent_id, trashed_by, reason, was_indexed, job)
  values ('00000000-0000-7000-a000-000000000009', '${FILLED.user}', E'${HARD_TEXT}', '1.txt', 'text/plain', 10, lpad('1', 64, '0'),
    '/elsewhere/documents/1', 'completed', 'eng', 1 / 3.0::real, 1, 'upload', jsonb_build_object('k', E'${HARD_TEXT}'), '2026-01-15', 7,
    '00000000-0000-7000-a100-000000000001', '${FILLED.other}', 'deleted', true,
    jsonb_build_object('id', '00000000-0000-7000-c000-000000000009', 'status', 'completed', 'error_message', E'${HARD_TEXT}'));
insert into trashed_references (document_id, kind, row_id, sha256, linking_id, field_id) values
  ('00000000-0000-7000-a000-000000000009', 'ingest_ledger', '00000000-0000-7000-d000-000000000009', lpad('1', 64, '0'), null, null),
  ('00000000-0000-7000-a000-000000000009', 'link', null, null, '00000000-0000-7000-a000-000000000001', '00000000-0000-7000-a300-000000000006');
insert into document_search (document_id, owner_id, created_at, length, is_long, is_truncated, configuration, mime_type, words, source)
  select id, owner_id, created_at, 3, false, false, 'sheaf_english', mime_type,
    setweight(to_tsvector('sheaf_english', 'It''s the \\ quoted "words" ' || filename), 'A'), source from documents;
insert into document_search_parts select document_id, 0, 1, 1, false, strip(words) from document_search;
insert into search_terms values ('word', 3), (E'wei\\u00df', 1);
insert into search_totals values ('sheaf_english', 3, 9);
insert into search_owner_terms select owner_id, lexeme, count(*) from document_search, unnest(tsvector_to_array(words)) as lexeme group by 1, 2;
insert into search_owner_totals select owner_id, configuration, count(*), sum(length) from document_search group by 1, 2;
insert into document_tallies values
  (null, null, '${FILLED.user}', 'completed', null, 4), ('${FILLED.label}', '2026-02-01', '${FILLED.user}', 'completed', null, -1);
insert into ocr_jobs (id, document_id, status, attempts, max_attempts, lease_by, lease_until, fence, spent_ms, completed_at, trace_context)
  select ('00000000-0000-7000-b000-' || right(id::text, 12))::uuid, id, status, 1, 4, case status when 'processing' then 'reader' end,
    case status when 'processing' then now() + interval '1 hour' end, 7, 9007199254740993, case status when 'completed' then now() end,
    '00-' || repeat('a1', 16) || '-' || repeat('b2', 8) || '-01'
  from documents;
insert into ingest_ledger (id, route, path, owner_id, source_id, size_bytes, modified_at, sha256, state, document_id, moved_to)
  select ('00000000-0000-7000-c000-' || right(id::text, 12))::uuid, source, E'/in/${HARD_TEXT}' || id, owner_id, source_id, size_bytes,
    created_at, sha256, 'ingested', id, 'done/' || filename
  from documents;
insert into events (type, owner_id, document_id, data) select 'document_created', owner_id, id, metadata from documents;
update events set seq = id; -- as the api has numbered them
insert into processes (id, name, pid, host, version, config_hash, status, memory_bytes, started_at, seen_at) values
  ('00000000-0000-7000-d000-000000000001', 'api', 1, 'host', '1', 'hash', 'healthy', 1, '2026-01-01', '2026-01-01');
insert into rate_limit_counts values ('user:${FILLED.user}', 3, now() + interval '1 minute');
insert into ocr_hosts (host, languages, seen_at) values ('host', '{eng,deu}', '2026-01-01');
insert into leaderships (name, term) values ('watcher', 3);
insert into roles (name, permissions) values ('clerk', '{documents.read,labels.*}');
insert into settings (key, value, updated_by) values ('theme', 'null', '${FILLED.user}'), ('queue', '{"paused": false}', null);
insert into api_keys (id, user_id, name, scope, key_hash, prefix, expires_at) values
  ('00000000-0000-7000-e000-000000000001', '${FILLED.user}', 'key', '{documents.read}', 'hash', 'shf_', now());
insert into mfa_devices (id, user_id, kind, name, secret, last_step) values
  ('00000000-0000-7000-e100-000000000001', '${FILLED.user}', 'totp', 'phone', 'sealed', 1);
insert into recovery_codes values ('${FILLED.user}', 'hash', null);
insert into one_time_tokens (token_hash, purpose, user_id, expires_at) values ('hash', 'invitation', '${FILLED.other}', now());
insert into login_failures values ('account:ann', 2, now(), null);
insert into known_devices values ('${FILLED.user}', 'address:192.0.2.1', now());
insert into audit_log (id, actor_id, actor_name, action, outcome, details) values
  ('00000000-0000-7000-e200-000000000001', '${FILLED.user}', 'ann', 'user.created', 'success', '{"of": "bob"}');
insert into watch_directories (id, user_id, name) values ('00000000-0000-7000-e300-000000000001', '${FILLED.other}', 'bob');
insert into backup_runs (id, kind, requested_by, files, total_bytes) values
  ('00000000-0000-7000-9300-000000000001', 'backup', '${FILLED.user}', 3, 9007199254740991);
insert into sync_runs (id, source_id, state, trigger, requested_by) values
  ('00000000-0000-7000-e400-000000000001', '${FILLED.source}', 'running', 'manual', '${FILLED.user}');
insert into source_files (source_id, path, etag, size_bytes, state, document_id)
  select '${FILLED.source}', filename, '"' || sha256 || '"', size_bytes, 'ingested', id from documents where source_id is not null;
insert into notifications (id, user_id, type, title, message) values
  ('00000000-0000-7000-e500-000000000001', '${FILLED.user}', 'ocr_completed', 'Done', 'A document');
insert into user_settings (user_id, theme, language, notifications_enabled) values ('${FILLED.user}', 'dark', null, false);
insert into paperless_ui_settings (user_id, content) values ('${FILLED.user}', '{"documentListSize": 25}');
insert into user_imports (id, requested_by, address, state, total, done, finished_at) values
  ('00000000-0000-7000-a500-000000000001', '${FILLED.user}', '192.0.2.1', 'completed', 2, 2, now());
insert into user_import_entries (import_id, position, sealed, user_id, refusal) values
  ('00000000-0000-7000-a500-000000000001', 0, null, '${FILLED.other}', null),
  ('00000000-0000-7000-a500-000000000001', 1, null, null, E'${HARD_TEXT}');
insert into deliveries (id, notification_id, channel, recipient, payload, state, attempts) values
  ('00000000-0000-7000-e600-000000000001', '00000000-0000-7000-e500-000000000001', 'email', 'ann@example.org',
    '{"type": "ocr_completed", "timestamp": "2026-01-01T00:00:00Z", "data": {}}', 'pending', 1);
insert into alerts (component, level, message) values ('disk:/srv', 'warning', 'full');
insert into stored_file_checks values (lpad('1', 64, '0'), now(), null, null), (lpad('2', 64, '0'), now(), 'missing', now());
insert into import_attempts (id, route, path, source_id, owner_id, etag, size_bytes, modified_at, started_at, crashes) values
  ('00000000-0000-7000-e700-000000000001', 'watch', 'a.txt', null, '${FILLED.user}', null, 3, now(), now(), 0),
  ('00000000-0000-7000-e700-000000000002', 'webdav', 'b.txt', '${FILLED.source}', '${FILLED.user}', '"tag"', 3, now(), null, 1);
`;

/** The tables of the current schema, by name. */
export const tableNames = async (client: ClientBase): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`,
  );
  return rows.map(({ name }) => name);
};

/** Puts rows into every table of the newest schema, with all that is hard to dump. Throws where a table has none then. */
export const fillDatabase = async (client: ClientBase): Promise<void> => {
  await client.query(FILL);
  for (const name of await tableNames(client)) {
    const { rows } = await client.query<{ filled: boolean }>(`select exists (select from ${client.escapeIdentifier(name)}) as filled`);
    if (rows[0]?.filled !== true) throw new Error(`the table ${name} has no rows: add some here`);
  }
};
