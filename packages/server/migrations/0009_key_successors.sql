set local lock_timeout = '5s';

-- The successor of a key.
create index api_keys_rotated_from on api_keys (org_id, rotated_from) where rotated_from is not null;
