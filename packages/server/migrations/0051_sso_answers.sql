set local lock_timeout = '5s';

-- Sign-ins at identity providers that were answered, until they would have ended by themselves: none is answered twice. One that has only
-- begun is kept by its browser. An answer of a SAML provider waits here for the browser that began the sign-in and brought the answer.
create table sso_answers (
  org_id uuid not null references orgs (id),
  connection_id uuid not null,
  state_digest bytea not null check (length(state_digest) = 32),
  finish_digest bytea check (length(finish_digest) = 32),
  answer jsonb,
  expires_at timestamptz not null,
  primary key (org_id, connection_id, state_digest),
  foreign key (org_id, connection_id) references sso_connections (org_id, id) on delete cascade
);
create index sso_answers_end on sso_answers using brin (expires_at);
call protect_tenant_table('sso_answers');
create policy pruning on sso_answers for all to current_user using (true);
grant select, insert, update (finish_digest, answer) on sso_answers to weir_app;
insert into pruned_rows values ('sso_answers', $$t.expires_at < clock_timestamp()$$);

-- No release had it.
delete from pruned_rows where parent = 'sso_requests';
drop table sso_requests;
