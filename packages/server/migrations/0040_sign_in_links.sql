set local lock_timeout = '5s';

-- Links that sign a browser in once, as the key or the support grant that made them.
create table sign_in_links (
  org_id uuid not null references orgs (id),
  id uuid not null,
  key_id uuid,
  grant_id uuid,
  digest bytea not null check (length(digest) = 32),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  primary key (org_id, id),
  check (num_nonnulls(key_id, grant_id) = 1)
);
create unique index sign_in_links_id on sign_in_links (id);
create index sign_in_links_owner on sign_in_links (org_id, coalesce(key_id, grant_id), created_at, id);
create index sign_in_links_end on sign_in_links using brin (expires_at);
call protect_tenant_table('sign_in_links');
create policy authentication on sign_in_links for all to current_user using (true);
grant select, insert, delete on sign_in_links to weir_app;
insert into pruned_rows values ('sign_in_links', $$t.expires_at < clock_timestamp()$$);

-- Uses a link up: whoever comes second finds none. Returns the key or grant that made it.
create function take_sign_in_link(wanted uuid, wanted_digest bytea) returns uuid
  language sql volatile security definer set search_path = public
  begin atomic
    delete from sign_in_links
     where id = wanted and digest = wanted_digest and expires_at > clock_timestamp()
    returning coalesce(key_id, grant_id);
  end;
revoke execute on function take_sign_in_link(uuid, bytea) from public;
grant execute on function take_sign_in_link(uuid, bytea) to weir_app;
