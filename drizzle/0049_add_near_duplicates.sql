-- compatible-from: 0041
-- What near-duplicates are found by: a MinHash of the text of each document, about 50 bytes. Null where a text is too short to be compared.
create table minhash_signatures (
  document_id uuid not null references documents (id) on delete cascade,
  -- false until the document was compared with those that were there before
  is_compared boolean not null default false,
  signature bytea,
  constraint minhash_signatures_pkey primary key (document_id)
);
create index minhash_signatures_waiting_idx on minhash_signatures (document_id) where not is_compared;

-- The first ten pairs of bytes of a signature, one for each band. The index alone stores them a second time.
create function signature_bands(signature bytea) returns integer[] language sql immutable strict parallel safe as $$
  select array_agg(get_byte(signature, 2 * band) * 256 + get_byte(signature, 2 * band + 1)) from generate_series(0, 9) as band
$$;
create index minhash_signatures_bands_idx on minhash_signatures using gin (signature_bands(signature)) with (fastupdate = off);

-- Two documents with nearly the same text, whoever owns them: who may read both is decided when they are asked for.
create table near_duplicates (
  document_id uuid not null references documents (id) on delete cascade,
  other_id uuid not null references documents (id) on delete cascade,
  similarity real not null,
  -- somebody said that they are no duplicates: remembered for as long as both are there
  is_dismissed boolean not null default false,
  constraint near_duplicates_pkey primary key (document_id, other_id),
  constraint near_duplicates_order_check check (document_id < other_id),
  constraint near_duplicates_similarity_check check (similarity between 0 and 1)
);
create index near_duplicates_other_id_idx on near_duplicates (other_id);

-- Another file has another text.
create function forget_signature() returns trigger language plpgsql as $$
begin
  delete from minhash_signatures where document_id = new.id;
  return null;
end $$;
create trigger documents_forget_minhash_signature after update of sha256 on documents
  for each row when (new.sha256 is distinct from old.sha256) execute function forget_signature();
