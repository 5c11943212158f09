-- Signatures are made again by a newer version; which pairs are no duplicates is forgotten.
drop trigger documents_forget_minhash_signature on documents;
drop function forget_signature();
drop table near_duplicates, minhash_signatures;
drop function signature_bands(bytea);
