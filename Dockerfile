# `docker build -t reeve . && docker run --rm reeve` builds the package and runs the demo.
FROM debian:12 AS build
COPY . /source
RUN cd /source && ./setup package

FROM debian:12-slim
COPY --from=build /source/build/release/reeve_*_amd64.deb /tmp/
RUN dpkg -i /tmp/reeve_*_amd64.deb && rm /tmp/reeve_*_amd64.deb
# To use your own scenarios: docker run --rm -v "$PWD:/data" reeve compare week.jsonc
WORKDIR /data
ENTRYPOINT ["reeve"]
CMD ["demo"]
