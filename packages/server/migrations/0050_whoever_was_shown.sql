set local lock_timeout = '5s';

-- An answer of a SAML provider is brought by one browser, and the sign-in was begun by one: who finishes shows that they are the same.
alter table sso_requests add column finish_digest bytea check (length(finish_digest) = 32);
grant update (finish_digest) on sso_requests to weir_app;

-- Those who answered for a key before. Handing it over does not take its secret from them.
alter table api_keys add column former_owner_ids uuid[] not null default '{}';

-- Whoever was shown the secret of a directory's token, with whom it ends.
alter table scim_tokens add column minted_by_key uuid, add column minted_by_member uuid;
